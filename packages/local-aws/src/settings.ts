import { parseArgs } from "node:util";
import type { LocalAwsOptions } from "./local-aws.ts";
import { LocalRefusal } from "./support/local-refusal.ts";

export const HELP = `Run what a CDK template declares on this machine, without a container. Stop it with Ctrl-C.

Usage: parley-local-aws <cdk.out> [flags]
  <cdk.out>           the folder that cdk synth wrote, with bundled functions
  --data <folder>     the folder of the data (default: .local-aws)
  --fresh             remove the data of earlier starts
  --port <number>     port of the HTTP API (default: 8080); the services and the WebSocket API use the next two.
                      0: free ports
  --origin <origin>   a page that may call the HTTP API and open sockets; repeat it for several
  --engine <name>     dynoxide or dynamodb-local (default: the first that runs here)
  --concurrency <n>   how many invocations of all functions may run at the same time (default: 1000)
  --iam <mode>        strict: each function may do only what its role in the template allows (default: open)
  --exposed           accept an engine that listens on every interface, as DynamoDB Local does
  --help              show this help

The README of the package has the details.`;

const flags = {
  data: { type: "string" },
  fresh: { type: "boolean" },
  port: { type: "string" },
  origin: { type: "string", multiple: true },
  engine: { type: "string" },
  concurrency: { type: "string" },
  exposed: { type: "boolean" },
  iam: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const engines = ["dynoxide", "dynamodb-local"] as const;

/** Reads the settings. Returns null if the help is asked for. Throws a LocalRefusal for a missing or invalid one. */
export function readSettings(args: readonly string[]): LocalAwsOptions | null {
  const { values, positionals } = readFlags(args);
  if (values.help === true) return null;
  const [assembly] = positionals;
  if (assembly === undefined || positionals.length > 1)
    throw new LocalRefusal("Missing folder of the template. Run cdk synth, then parley-local-aws cdk.out.");
  const engine = engines.find((name) => name === values.engine);
  if (values.engine !== undefined && engine === undefined)
    throw new LocalRefusal(`Invalid --engine ${JSON.stringify(values.engine)}. Set it to ${engines.join(" or ")}.`);
  return {
    assembly,
    dataDir: values.data ?? ".local-aws",
    fresh: values.fresh ?? false,
    port: readPort(values.port ?? "8080"),
    origins: values.origin ?? [],
    ...(values.iam === undefined ? {} : { iam: readMode(values.iam) }),
    ...(values.concurrency === undefined ? {} : { concurrency: readConcurrency(values.concurrency) }),
    engine: {
      mayBeExposed: values.exposed ?? false,
      exposedSetting: "Add --exposed",
      ...(engine === undefined ? {} : { prefer: engine }),
    },
  };
}

function readFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags, strict: true, allowPositionals: true });
  } catch (error) {
    throw new LocalRefusal(`${(error as Error).message}. Run parley-local-aws --help.`);
  }
}

function readMode(text: string): "open" | "strict" {
  if (text === "open" || text === "strict") return text;
  throw new LocalRefusal(`Invalid --iam ${JSON.stringify(text)}. Set it to strict or open.`);
}

function readConcurrency(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= 1_000) return Number(text);
  throw new LocalRefusal(`Invalid --concurrency ${JSON.stringify(text)}. Set it to a number from 1 to 1000.`);
}

function readPort(text: string): number {
  // The next two ports are used, too.
  if (/^\d+$/.test(text) && Number(text) <= 65_533) return Number(text);
  throw new LocalRefusal(`Invalid --port ${JSON.stringify(text)}. Set it to a number from 0 to 65533.`);
}
