import { existsSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { LocalRefusal } from "../support/settings-error.ts";
import { ACCOUNT, REGION, type Resolver } from "../template/intrinsics.ts";
import { type Assembly, nameOf, type Placed, resourcesOf } from "../template/template.ts";
import { openPool, type Pool } from "./pool.ts";
import { openSandbox } from "./sandbox.ts";

/** A function as the template declares it, with its bundle found. */
export interface FunctionDeclaration {
  /** The construct's id: `Api`, `Deliver`. */
  readonly id: string;
  readonly placed: Placed;
  readonly name: string;
  readonly arn: string;
  readonly file: string;
  readonly handler: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** Sandboxes at once. */
  readonly sandboxesMax: number;
}

/** The functions of a running stack. */
export interface Functions {
  /** Runs a function with an event and answers its result. Throws FunctionFailed. `id` may be the construct's id or the template's. */
  invoke(id: string, event: unknown): Promise<unknown>;
  /** The whole environment a function runs with. */
  environment(id: string): Readonly<Record<string, string>>;
  /** Ids of all functions, as their constructs are called. */
  readonly ids: readonly string[];
  close(): Promise<void>;
}

/**
 * In the cloud a function grows to hundreds of sandboxes; this many show every race on one machine. A function behind
 * two queues has twice as many: there, too, no queue's work waits for that of another.
 */
const SANDBOXES_MAX = 4;
/** Lambda's own defaults. */
const TIMEOUT_DEFAULT_SECONDS = 3;
const MEMORY_DEFAULT_MB = 128;

/** Reads the functions of the assembly. Throws a LocalRefusal for one that could not run. */
export function declareFunctions(assembly: Assembly): FunctionDeclaration[] {
  const found = resourcesOf(assembly).filter(({ resource }) => resource.Type === "AWS::Lambda::Function");
  const declared = found.map((placed) => declare(assembly, placed));
  const twice = declared.find(({ id }, at) => declared.findIndex((other) => other.id === id) !== at);
  if (twice) throw new LocalRefusal(`Two functions of the template are called ${twice.id}: rename one.`);
  return declared;
}

function declare(assembly: Assembly, placed: Placed): FunctionDeclaration {
  const properties = placed.resource.Properties ?? {};
  const runtime = String(properties.Runtime);
  if (!/^nodejs\d+\.x$/.test(runtime)) {
    throw new LocalRefusal(
      `${nameOf(placed)} has the runtime ${runtime}: the local stack runs Node.js functions only.`,
    );
  }
  const id = placed.id.replace(/[0-9A-F]{8}$/, "");
  const name = typeof properties.FunctionName === "string" ? properties.FunctionName : `${placed.stack}-${placed.id}`;
  const wanted = SANDBOXES_MAX * Math.max(1, queuesOf(assembly, placed));
  const reserved = Number(properties.ReservedConcurrentExecutions ?? wanted);
  return {
    id,
    placed,
    name,
    arn: `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`,
    ...findBundle(assembly, placed),
    timeoutMs: Number(properties.Timeout ?? TIMEOUT_DEFAULT_SECONDS) * 1_000,
    memoryMb: Number(properties.MemorySize ?? MEMORY_DEFAULT_MB),
    sandboxesMax: Math.max(1, Math.min(wanted, reserved)),
  };
}

function queuesOf(assembly: Assembly, { stack, id }: Placed): number {
  return resourcesOf(assembly).filter(
    ({ stack: where, resource }) =>
      where === stack &&
      resource.Type === "AWS::Lambda::EventSourceMapping" &&
      (resource.Properties?.FunctionName as { Ref?: string } | undefined)?.Ref === id,
  ).length;
}

/** `Code.S3Key` is `<hash>.zip`; the assembly holds its content as the folder `asset.<hash>`. */
function findBundle(assembly: Assembly, placed: Placed): { file: string; handler: string } {
  const { Code, Handler } = placed.resource.Properties ?? {};
  const key = (Code as { S3Key?: unknown } | undefined)?.S3Key;
  const [module = "", handler = ""] = String(Handler).split(".");
  const folder = typeof key === "string" ? join(assembly.folder, `asset.${key.replace(/\.zip$/, "")}`) : undefined;
  const file =
    folder && [".mjs", ".js", ".cjs"].map((end) => join(folder, module + end)).find((path) => existsSync(path));
  if (file && handler) return { file, handler };
  throw new LocalRefusal(`${nameOf(placed)} has no bundle for its handler ${Handler}: synthesize with bundling.`);
}

export interface RuntimeSettings {
  /** Variables every function gets on top of its own: where the emulators answer. */
  readonly added: Readonly<Record<string, string>>;
  /** Other values for variables that the template gives a function; one that it does not give stays unset. */
  readonly replaced: Readonly<Record<string, string>>;
  readonly clock: SharedArrayBuffer;
  readonly openEgress: boolean;
  readonly log: (chunk: Buffer) => void;
}

/** Makes the declared functions ready to run; their sandboxes are opened when events come. */
export function openFunctions(
  declarations: readonly FunctionDeclaration[],
  resolver: Resolver,
  settings: RuntimeSettings,
): Functions {
  const environments = new Map<string, Record<string, string>>();
  const pools = new Map<string, Pool>();
  for (const declaration of declarations) {
    const own = ownVariables(declaration, resolver);
    for (const [name, value] of Object.entries(settings.replaced)) if (name in own) own[name] = value;
    const environment = { ...own, ...runtimeVariables(declaration), ...settings.added };
    const pool = openPool(declaration.sandboxesMax, () =>
      openSandbox({
        data: {
          file: declaration.file,
          handler: declaration.handler,
          functionName: declaration.name,
          functionArn: declaration.arn,
          memoryMb: declaration.memoryMb,
          clock: settings.clock,
          openEgress: settings.openEgress,
        },
        environment,
        timeoutMs: declaration.timeoutMs,
        log: settings.log,
      }),
    );
    for (const id of [declaration.id, declaration.placed.id]) {
      environments.set(id, environment);
      pools.set(id, pool);
    }
  }
  return {
    invoke: async (id, event) => await named(pools, id).invoke(event),
    environment: (id) => named(environments, id),
    ids: declarations.map(({ id }) => id),
    async close() {
      await Promise.all([...new Set(pools.values())].map((pool) => pool.close()));
    },
  };
}

function named<T>(all: ReadonlyMap<string, T>, id: string): T {
  const found = all.get(id);
  if (found !== undefined) return found;
  throw new LocalRefusal(`There is no function ${id}: the template has ${[...all.keys()].join(", ") || "none"}.`);
}

function ownVariables({ placed }: FunctionDeclaration, resolver: Resolver): Record<string, string> {
  const declared = placed.resource.Properties?.Environment as { Variables?: Record<string, unknown> } | undefined;
  const entries = Object.entries(declared?.Variables ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, resolver.text(placed.stack, value)]));
}

/** What the runtime itself sets, and no shared configuration file of the person at the keyboard. */
function runtimeVariables({ name, memoryMb, file, handler }: FunctionDeclaration): Record<string, string> {
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    LAMBDA_TASK_ROOT: join(file, ".."),
    _HANDLER: handler,
    TZ: ":UTC",
  };
}
