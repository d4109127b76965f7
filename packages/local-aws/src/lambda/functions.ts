import { existsSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { type AccessKey, toVariables } from "../access/access-key.ts";
import { LocalRefusal } from "../support/local-refusal.ts";
import { ACCOUNT, REGION, type Resolver } from "../template/intrinsics.ts";
import { type Assembly, describeResource, listResources, type StackResource } from "../template/template.ts";
import { openPool, type Pool } from "./pool.ts";
import { FunctionFailed, openSandbox } from "./sandbox.ts";
import { openSandboxBudget, type SandboxBudgetOptions } from "./sandbox-budget.ts";
import type { SandboxHost } from "./sandbox-messages.ts";

/** A function of the template, with the path of its bundle. */
export interface FunctionDeclaration {
  /** The construct's id: `Api`, `Deliver`. */
  readonly id: string;
  readonly stackResource: StackResource;
  readonly name: string;
  readonly arn: string;
  readonly file: string;
  readonly handler: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** Maximum concurrent sandboxes: the reserved concurrency, or what its event sources may use together. */
  readonly sandboxesMax: number;
  /** How many queues feed it, and 1 for a function without one. */
  readonly sources: number;
}

/** The functions of a running stack. */
export interface Functions {
  /** Loads one sandbox of each function. Throws a LocalRefusal for a function that cannot be loaded. */
  load(): Promise<void>;
  /** Invokes a function and returns its result. Throws FunctionFailed. `id` is the construct's id or the logical id. */
  invoke(id: string, event: unknown, source?: string): Promise<unknown>;
  /** Resolves when a function shall get its next event of a source. `source` is as for `invoke`: the URL of a queue. */
  ready(id: string, source: string): Promise<void>;
  /** The complete environment of a function. */
  environment(id: string): Readonly<Record<string, string>>;
  /** The construct ids of all functions. */
  readonly ids: readonly string[];
  close(): Promise<void>;
}

/** The concurrency of an AWS account that a function without own limits shares. Source: Lambda quotas, the default. */
const ACCOUNT_CONCURRENCY = 1_000;
/** Lambda closes an idle sandbox after some minutes; here one frees memory for other functions. */
const IDLE_MAX_MS = 60_000;
/** As after some minutes in Lambda, the next event loads the bundle again. */
const LAST_IDLE_MAX_MS = 5 * 60_000;
/** Less than a sandbox needs to load on a machine with two processors: an event that hangs occupies one after another. */
const GROWTH_PAUSE_MS = 50;
/** Lambda's defaults. */
const TIMEOUT_DEFAULT_SECONDS = 3;
const MEMORY_DEFAULT_MB = 128;

/** Reads the functions of the assembly. Throws a LocalRefusal for a function that cannot run here. */
export function readFunctions(assembly: Assembly): FunctionDeclaration[] {
  const resources = listResources(assembly).filter(({ resource }) => resource.Type === "AWS::Lambda::Function");
  const declarations = resources.map((stackResource) => readFunction(assembly, stackResource));
  const duplicate = declarations.find(({ id }, at) => declarations.findIndex((other) => other.id === id) !== at);
  if (duplicate) throw new LocalRefusal(`Two functions of the template are called ${duplicate.id}: rename one.`);
  return declarations;
}

function readFunction(assembly: Assembly, stackResource: StackResource): FunctionDeclaration {
  const properties = stackResource.resource.Properties ?? {};
  const runtime = String(properties.Runtime);
  if (!/^nodejs\d+\.x$/.test(runtime)) {
    throw new LocalRefusal(
      `${describeResource(stackResource)} has the runtime ${runtime}: the local stack runs Node.js functions only.`,
    );
  }
  const id = stackResource.id.replace(/[0-9A-F]{8}$/, "");
  const name =
    typeof properties.FunctionName === "string"
      ? properties.FunctionName
      : `${stackResource.stack}-${stackResource.id}`;
  return {
    id,
    stackResource,
    name,
    arn: `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`,
    ...findBundle(assembly, stackResource),
    timeoutMs: Number(properties.Timeout ?? TIMEOUT_DEFAULT_SECONDS) * 1_000,
    memoryMb: Number(properties.MemorySize ?? MEMORY_DEFAULT_MB),
    sandboxesMax: Number(properties.ReservedConcurrentExecutions ?? eventSourceConcurrency(assembly, stackResource)),
    sources: Math.max(1, listEventSources(assembly, stackResource).length),
  };
}

/** What a function's event sources may use together, or the account's limit where one of them has none. */
function eventSourceConcurrency(assembly: Assembly, stackResource: StackResource): number {
  const limits = listEventSources(assembly, stackResource).map(
    ({ resource }) => (resource.Properties?.ScalingConfig as { MaximumConcurrency?: number })?.MaximumConcurrency,
  );
  if (limits.length === 0) return ACCOUNT_CONCURRENCY;
  return Math.min(
    ACCOUNT_CONCURRENCY,
    limits.reduce((sum: number, limit) => sum + (limit ?? ACCOUNT_CONCURRENCY), 0),
  );
}

function listEventSources(assembly: Assembly, { stack, id }: StackResource): StackResource[] {
  return listResources(assembly).filter(
    ({ stack: mappingStack, resource }) =>
      mappingStack === stack &&
      resource.Type === "AWS::Lambda::EventSourceMapping" &&
      (resource.Properties?.FunctionName as { Ref?: string } | undefined)?.Ref === id,
  );
}

/** `Code.S3Key` is `<hash>.zip`; the assembly holds its content as the folder `asset.<hash>`. */
function findBundle(assembly: Assembly, stackResource: StackResource): { file: string; handler: string } {
  const { Code, Handler } = stackResource.resource.Properties ?? {};
  const key = (Code as { S3Key?: unknown } | undefined)?.S3Key;
  const [module = "", handler = ""] = String(Handler).split(".");
  const folder = typeof key === "string" ? join(assembly.folder, `asset.${key.replace(/\.zip$/, "")}`) : undefined;
  const file =
    folder &&
    [".mjs", ".js", ".cjs"].map((extension) => join(folder, module + extension)).find((path) => existsSync(path));
  if (file && handler) return { file, handler };
  throw new LocalRefusal(
    `${describeResource(stackResource)} has no bundle for its handler ${Handler}: synthesize with bundling.`,
  );
}

export interface RuntimeSettings {
  /** Variables added to every function: the endpoints of the emulators. */
  readonly extraVariables: Readonly<Record<string, string>>;
  /** New values for variables that the template sets. A variable that the template does not set stays unset. */
  readonly variableOverrides: Readonly<Record<string, string>>;
  /** What a function, by the id of its construct, signs with. */
  readonly accessKeyOf: (functionId: string) => AccessKey;
  readonly clock: SharedArrayBuffer;
  /** Where the functions find the clock, and what else they read of their host. */
  readonly host: SandboxHost;
  readonly budget: SandboxBudgetOptions;
  /** How many invocations of all functions may run at the same time. Default: Lambda's quota, 1,000. */
  readonly concurrencyMax?: number | undefined;
  readonly log: (chunk: Buffer) => void;
}

/** Opens the declared functions. A sandbox starts with the first event that needs it. */
export function openFunctions(
  declarations: readonly FunctionDeclaration[],
  resolver: Resolver,
  settings: RuntimeSettings,
): Functions {
  const environments = new Map<string, Record<string, string>>();
  const pools = new Map<string, Pool>();
  const budget = openSandboxBudget(settings.budget);
  const concurrency = openAccountConcurrency(settings.concurrencyMax ?? ACCOUNT_CONCURRENCY);
  for (const declaration of declarations) {
    const variables = templateVariables(declaration, resolver);
    for (const [name, value] of Object.entries(settings.variableOverrides))
      if (name in variables) variables[name] = value;
    const environment = {
      ...variables,
      ...runtimeVariables(declaration, settings.accessKeyOf(declaration.id)),
      ...settings.extraVariables,
    };
    const { sandboxesMax, sources } = declaration;
    const idle = { idleMax: IDLE_MAX_MS, lastIdleMax: LAST_IDLE_MAX_MS };
    const pool = openPool({ sandboxesMax, sources, budget, ...idle, growthPause: GROWTH_PAUSE_MS }, () =>
      openSandbox({
        data: {
          file: declaration.file,
          handler: declaration.handler,
          functionName: declaration.name,
          functionArn: declaration.arn,
          memoryMb: declaration.memoryMb,
          clock: settings.clock,
          host: settings.host,
        },
        environment,
        timeoutMs: declaration.timeoutMs,
        log: settings.log,
      }),
    );
    for (const id of [declaration.id, declaration.stackResource.id]) {
      environments.set(id, environment);
      pools.set(id, pool);
    }
  }
  return {
    async load() {
      const loadOne = ({ id }: FunctionDeclaration): Promise<void> =>
        getById(pools, id)
          .load()
          .catch((error: Error) => {
            throw new LocalRefusal(`The function ${id} cannot be loaded: ${error.message}`);
          });
      await budget.whileStarting(async () => {
        await Promise.all(declarations.map(loadOne));
      });
    },
    invoke: async (id, event, source) => {
      const pool = getById(pools, id);
      return await concurrency.run(() => pool.invoke(event, source));
    },
    ready: (id, source) => getById(pools, id).ready(source),
    environment: (id) => getById(environments, id),
    ids: declarations.map(({ id }) => id),
    async close() {
      await Promise.all([...new Set(pools.values())].map((pool) => pool.close()));
    },
  };
}

function getById<T>(all: ReadonlyMap<string, T>, id: string): T {
  const value = all.get(id);
  if (value !== undefined) return value;
  throw new LocalRefusal(`There is no function ${id}: the template has ${[...all.keys()].join(", ") || "none"}.`);
}

function templateVariables({ stackResource }: FunctionDeclaration, resolver: Resolver): Record<string, string> {
  const environment = stackResource.resource.Properties?.Environment as
    | { Variables?: Record<string, unknown> }
    | undefined;
  const entries = Object.entries(environment?.Variables ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, resolver.text(stackResource.stack, value)]));
}

/** The variables of the Lambda runtime. The developer's AWS configuration files are disabled. */
function runtimeVariables(
  { name, memoryMb, file, handler }: FunctionDeclaration,
  accessKey: AccessKey,
): Record<string, string> {
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    ...toVariables(accessKey),
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

/** The invocations that run at the same time, of all functions together. */
interface AccountConcurrency {
  /** Runs an invocation. Throws FunctionFailed with the reason `throttled` if as many as may run already do. */
  run<T>(invoke: () => Promise<T>): Promise<T>;
}

/** @param max what the account permits, from 1 */
function openAccountConcurrency(max: number): AccountConcurrency {
  let running = 0;
  return {
    async run(invoke) {
      if (running >= max) throw new FunctionFailed("throttled", `Rate Exceeded: ${max} invocations run already.`);
      running += 1;
      try {
        return await invoke();
      } finally {
        running -= 1;
      }
    },
  };
}
