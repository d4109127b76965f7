import { setTimeout as wait } from "node:timers/promises";
import type { ApiResponse } from "../../e2e/support/api-response.ts";
import { type LocalStack, startLocalStack } from "../../e2e/support/local-stack.ts";
import type { Ledger } from "./ledger.ts";
import type { Random } from "./random.ts";

/** A local stack that is killed and started again on the same data. */
export interface KilledStack {
  /** The origin of the running stack; null while there is none. */
  readonly url: () => string | null;
  /** The running stack. Throws while there is none. */
  readonly running: () => LocalStack;
  start(): Promise<void>;
  /** Kills the stack at random moments and starts it again, until the time has passed. Then it runs. */
  killUntil(endsAt: number, random: Random): Promise<void>;
  /** One request; null when no response came, as while there is no stack. Without a key for a public route. */
  request(method: string, path: string, options?: RequestOptions): Promise<ApiResponse | null>;
  /** The functions' log of all runs. */
  log(): string;
  stop(): Promise<void>;
}

export interface RequestOptions {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isPublic?: boolean;
}

/** How long a stack runs between two kills, in milliseconds. */
const RUN_MS = { min: 2_000, max: 14_000 } as const;
/** How long the stack runs without its table when only the engine was killed. */
const OUTAGE_MS_MAX = 2_500;

export function killedStack(
  ledger: Ledger,
  settings: { readonly dataDir: string; readonly env: () => Readonly<Record<string, string>> },
): KilledStack {
  let stack: LocalStack | null = null;
  let earlierLogs = "";

  const running = (): LocalStack => {
    if (!stack) throw new Error("No stack is running.");
    return stack;
  };
  const start = async (): Promise<void> => {
    stack = await startLocalStack({ dataDir: settings.dataDir, env: settings.env() });
  };
  /** The functions run as threads of the stack's process, so a kill of it ends all of them in the middle of their work. */
  const kill = async (random: Random): Promise<void> => {
    const killed = running();
    const target = random.pick(["the stack", "the stack and its engine", "the engine, then the stack"]);
    ledger.kills.push(target);
    if (target === "the engine, then the stack") {
      killed.killChildren();
      await wait(random.between(0, OUTAGE_MS_MAX));
    }
    await killed.kill(target !== "the stack");
    stack = null;
    earlierLogs += killed.log();
  };

  return {
    url: () => stack?.info.base_url ?? null,
    running,
    start,
    async killUntil(endsAt, random) {
      for (;;) {
        const runMs = random.between(RUN_MS.min, RUN_MS.max);
        if (Date.now() + runMs > endsAt) break;
        await wait(runMs);
        await kill(random);
        await wait(random.between(0, 500));
        await start();
      }
      await wait(Math.max(0, endsAt - Date.now()));
    },
    async request(method, path, { body, headers = {}, isPublic = false } = {}) {
      const target = stack;
      if (!target) return null;
      const authorization = isPublic ? {} : { authorization: `Bearer ${target.info.live_key}` };
      return target
        .request(path, {
          method,
          headers: { "content-type": "application/json", ...authorization, ...headers },
          signal: AbortSignal.timeout(40_000),
          ...(body ? { body: JSON.stringify(body) } : {}),
        })
        .catch(() => null);
    },
    log: () => earlierLogs + (stack?.log() ?? ""),
    async stop() {
      await stack?.stop();
      stack = null;
    },
  };
}
