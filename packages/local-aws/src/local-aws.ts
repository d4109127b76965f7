import { rmSync } from "node:fs";
import type { ControlToken } from "../../loopback/src/control-token.ts";
import { loopbackOrigins } from "../../loopback/src/loopback-rule.ts";
import { printError } from "../../loopback/src/terminal.ts";
import { type AccessKey, loadAccessKey } from "./access/access-key.ts";
import { loadControlToken } from "./access/control-token.ts";
import type { EngineOptions } from "./dynamodb/engine.ts";
import { openGateway } from "./gateway/gateway.ts";
import { openAccess } from "./iam/access-control.ts";
import type { SandboxHost } from "./lambda/sandbox-messages.ts";
import { writeAwsConfig } from "./run/aws-config.ts";
import { startClosable } from "./run/closing.ts";
import { openDataFolder } from "./run/data-folder.ts";
import { deploy } from "./run/deployment.ts";
import { operate } from "./run/operation.ts";
import { startServices } from "./run/services.ts";
import { openClock } from "./support/clock.ts";
import type { Millis } from "./support/time.ts";
import { readAssembly } from "./template/template.ts";

/** Every file and folder of a data folder. */
const FILES = [
  "access.jsonl",
  "aws-config",
  "aws-credentials",
  "clock.json",
  "control-token",
  "dynamodb",
  "emulators",
  "functions.log",
  "provisioned.json",
] as const;

/** The global of the functions that has the clock, unless the options name another. */
export const HOST_SYMBOL = "local-aws.host";

export interface LocalAwsOptions {
  /** A cloud assembly, as `cdk synth` writes it. */
  readonly assembly: string;
  /** The folder of the data, created if missing. One process at a time uses it. */
  readonly dataDir: string;
  /** True removes the data of earlier starts. */
  readonly fresh?: boolean;
  /** The port of the HTTP API; the services and the WebSocket API use the next two. Default: free ports. */
  readonly port?: number;
  /** The origins of other pages that may call the HTTP API and open sockets. Default: none. */
  readonly origins?: readonly string[];
  readonly engine?: Pick<EngineOptions, "prefer" | "mayBeExposed" | "exposedSetting">;
  /** New values for variables of functions that the template sets. */
  readonly variables?: Readonly<Record<string, string>>;
  /** What the functions read of their host. Default: the clock alone, as `globalThis[Symbol.for("local-aws.host")].now()`. */
  readonly host?: SandboxHost;
  /** How many invocations of all functions may run at the same time. Default: Lambda's quota, 1,000. */
  readonly concurrency?: number;
  /**
   * `strict` gives each function an access key of its own, and refuses what its role in the template does not allow.
   * Default: every function may do everything.
   */
  readonly iam?: "open" | "strict";
  /** Receives a line for each error while running. Default: stderr. */
  readonly report?: (line: string) => void;
}

/** A running template. */
export interface LocalAws {
  /** The HTTP API. */
  readonly url: string;
  /** SQS, S3, KMS, Secrets Manager and the mail service. */
  readonly servicesUrl: string;
  readonly dynamodbUrl: string;
  /** The WebSocket API, without its stage. */
  readonly socketUrl: string;
  readonly accessKey: AccessKey;
  readonly controlToken: ControlToken;
  readonly dataDir: string;
  /** Invokes a function by the id of its construct. Throws FunctionFailed. */
  invoke(functionId: string, event: unknown): Promise<unknown>;
  /** The variables of a function. */
  environment(functionId: string): Readonly<Record<string, string>>;
  /** Advances the clock by milliseconds and resolves when every schedule that is then due has run. */
  advanceClock(by: Millis): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates the resources of a template and runs its functions. Throws a LocalRefusal, with every started part stopped, if
 * a port or the data folder is in use or the template needs something that does not exist here.
 */
export async function startLocalAws(options: LocalAwsOptions): Promise<LocalAws> {
  const report = options.report ?? printError;
  return await startClosable((cleanup) => start(options, cleanup, report), report);
}

async function start(
  options: LocalAwsOptions,
  cleanup: AsyncDisposableStack,
  report: (line: string) => void,
): Promise<Omit<LocalAws, "close">> {
  const { port = 0, fresh = false, origins = [], host = { symbol: HOST_SYMBOL, values: {} } } = options;
  const assembly = readAssembly(options.assembly);
  const folder = openDataFolder({ folder: options.dataDir, fresh, files: FILES, setting: "--data" });
  cleanup.defer(folder.release);
  const accessKey = loadAccessKey(folder.at("aws-credentials"));
  const controlToken = loadControlToken(folder.at("control-token"));
  const gateway = await openGateway(port, origins);
  cleanup.defer(gateway.close);
  const clock = openClock(folder.path);
  const ownOrigins = loopbackOrigins(gateway.port);
  const access = openAccess({ isStrict: options.iam === "strict", accessKey, file: folder.at("access.jsonl"), report });
  const services = await startServices(
    {
      ports: { emulators: port && port + 1, realtime: port && port + 2 },
      folders: { table: folder.at("dynamodb"), emulators: folder.at("emulators") },
      accessKey,
      access,
      now: clock.now,
      storageOrigins: [...ownOrigins, ...origins],
      socketOrigins: [...ownOrigins, ...origins],
      engine: options.engine ?? {},
    },
    cleanup,
  );
  const deployment = await deploy(
    assembly,
    {
      services,
      accessKey,
      access,
      clock,
      baseUrl: gateway.url,
      files: { provisioned: folder.at("provisioned.json"), log: folder.at("functions.log") },
      variables: () => options.variables ?? {},
      host,
      concurrencyMax: options.concurrency,
    },
    cleanup,
  );
  const awsConfig = folder.at("aws-config");
  writeAwsConfig(awsConfig, { services: services.emulators.url, table: services.table.url });
  cleanup.defer(() => rmSync(awsConfig, { force: true }));
  await deployment.functions.load();
  const advanceClock = operate({ deployment, services, gateway, clock, controlToken, report }, cleanup);
  return {
    url: gateway.url,
    servicesUrl: services.emulators.url,
    dynamodbUrl: services.table.url,
    socketUrl: services.realtime.origin.replace(/^http/, "ws"),
    accessKey,
    controlToken,
    dataDir: folder.path,
    invoke: deployment.functions.invoke,
    environment: deployment.functions.environment,
    advanceClock,
  };
}
