import { createWriteStream } from "node:fs";
import { env } from "#base/config/names.ts";
import { RUNTIME_OVERRIDES } from "#base/kernel/runtime.ts";
import { printableText } from "#base/kernel/text/printable.ts";
import type { AccessKey } from "#local-aws/access/access-key.ts";
import { PRIVATE_FILE } from "#local-aws/access/private-files.ts";
import { type FunctionDeclaration, type Functions, openFunctions } from "#local-aws/lambda/functions.ts";
import { machineBudget } from "#local-aws/lambda/sandbox-budget.ts";
import type { Resolver } from "#local-aws/template/intrinsics.ts";
import { simulatedAppIds } from "#simulator";
import type { LocalSettings } from "./settings.ts";
import type { StackParts } from "./stack-parts.ts";

export interface FunctionsContext {
  readonly settings: LocalSettings;
  readonly parts: StackParts;
  readonly accessKey: AccessKey;
  /** The URL of the API. Its pages are the console's. */
  readonly baseUrl: string;
  /** The endpoint of the WebSocket API's connections. Null without such an API. */
  readonly realtimeEndpoint: string | null;
  /** The shared offset of the stack's clock. */
  readonly clock: SharedArrayBuffer;
  readonly logFile: string;
}

/** Opens the template's functions against the parts of this stack. Their output goes to the log file. */
export function runFunctions(
  declarations: readonly FunctionDeclaration[],
  resolver: Resolver,
  { settings, parts, accessKey, baseUrl, realtimeEndpoint, clock, logFile }: FunctionsContext,
  cleanup: AsyncDisposableStack,
): Functions {
  const log = createWriteStream(logFile, { mode: PRIVATE_FILE });
  cleanup.defer(() => new Promise<void>((resolve) => log.end(resolve)));
  const functions = openFunctions(declarations, resolver, {
    extraVariables: { AWS_ENDPOINT_URL: parts.emulators.url, AWS_ENDPOINT_URL_DYNAMODB: parts.table.url },
    variableOverrides: {
      [env.platformUrls]: JSON.stringify(parts.platformUrls),
      [env.consoleUrl]: baseUrl,
      ...(realtimeEndpoint === null ? {} : { [env.realtimeEndpoint]: realtimeEndpoint }),
      [env.metaAppId]: settings.metaAppId ?? simulatedAppIds.meta,
      [env.instagramAppId]: settings.instagramAppId ?? simulatedAppIds.instagram,
    },
    accessKey,
    clock,
    host: { symbol: RUNTIME_OVERRIDES, values: { openEgress: !settings.strictEgress } },
    budget: machineBudget(),
    log: (chunk) => {
      if (!log.writableEnded) log.write(printableText(chunk.toString()));
    },
  });
  cleanup.defer(functions.close);
  return functions;
}

/** The combined variables of all functions: they locate the template's table, key, queues and secrets. */
export function commonEnvironment(functions: Functions): Readonly<Record<string, string>> {
  return Object.assign({}, ...functions.ids.map(functions.environment)) as Record<string, string>;
}
