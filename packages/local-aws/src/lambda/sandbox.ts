import { randomUUID } from "node:crypto";
import type { EventLoopUtilization } from "node:perf_hooks";
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import type { FromSandbox, HandlerError, SandboxData, ToSandbox } from "./sandbox-messages.ts";
import { sandboxScript } from "./sandbox-script.ts";

/** An invocation failed: the function threw, ran out of time or memory, could not be loaded, or found no place to run. */
export class FunctionFailed extends Error {
  override readonly name = "FunctionFailed";
  readonly reason: "threw" | "timed-out" | "died" | "unloadable" | "throttled";
  readonly trace: string;

  constructor(reason: FunctionFailed["reason"], message: string, trace = "") {
    super(message);
    this.reason = reason;
    this.trace = trace;
  }
}

export interface SandboxSettings {
  readonly data: Omit<SandboxData, "compileCache" | "wake">;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Receives the function's output. */
  readonly log: (chunk: Buffer) => void;
}

/** One execution environment of a function: a worker thread that processes one event at a time, and is blocked between two. */
export interface Sandbox {
  /** Resolves when the bundle is loaded or cannot be loaded: with null, or with the reason. */
  loaded(): Promise<FunctionFailed | null>;
  /** Null while the sandbox is usable; else the reason. A failed sandbox is replaced. */
  failure(): FunctionFailed | null;
  /** The share of the last moments in which its event computed, or waited for a processor, 0 to 1. 0 without an event. */
  computing(): number;
  /** Whether its current event waits, for a receiver or another answer, and hardly computes. */
  hangs(): boolean;
  /** Returns the handler's result after a JSON round trip. Throws FunctionFailed. */
  invoke(event: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** Lambda stops loading a bundle after this time, and loads it again within the timeout of the first invocation. */
const LOAD_MAX_MS = 10_000;
/** An ordinary event is done before, in milliseconds, or computes for more than this share. */
const HANGS_AFTER_MS = 250;
const HANGS_COMPUTING = 0.1;
/** What is observed at least, in milliseconds: the first event of a sandbox computes, and then it waits. */
const OBSERVED_MS = 100;
/** Enough for an event. By default each of many sandboxes grows to more than it needs. */
const YOUNG_GENERATION_MB = 12;

interface PendingInvocation {
  readonly id: string;
  resolve(result: unknown): void;
  reject(error: FunctionFailed): void;
}

export function openSandbox({ data, environment, timeoutMs, log }: SandboxSettings): Sandbox {
  const wake = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(sandboxScript(), {
    // Not in the environment: a function's environment is only what its template declares.
    workerData: { ...data, wake: wake.buffer, compileCache: process.env.NODE_COMPILE_CACHE } satisfies SandboxData,
    env: environment,
    execArgv: ["--enable-source-maps", "--no-warnings"],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: data.memoryMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  // The runtime's own output. The function's output arrives as messages.
  const forward = (stream: Readable): void => void stream.on("data", (chunk: Buffer) => log(chunk));
  forward(worker.stdout);
  forward(worker.stderr);

  let failure: FunctionFailed | null = null;
  let pending: PendingInvocation | null = null;
  let startedAt = 0;
  let observed: { at: number; loop: EventLoopUtilization; computing: number } | undefined;
  const loadResult = Promise.withResolvers<FunctionFailed | null>();

  const fail = (error: FunctionFailed): void => {
    failure ??= error;
    clearTimeout(loading);
    loadResult.resolve(failure);
    pending?.reject(failure);
    pending = null;
    void worker.terminate();
  };
  const loadMaxMs = LOAD_MAX_MS + timeoutMs;
  const loading = setTimeout(() => {
    fail(new FunctionFailed("unloadable", `${data.functionName} was not loaded within ${loadMaxMs / 1_000} s.`));
  }, loadMaxMs);

  worker.on("message", (message: FromSandbox) => {
    if (message.kind === "ready") {
      clearTimeout(loading);
      loadResult.resolve(null);
      return;
    }
    if (message.kind === "unloadable") return fail(toFunctionFailed("unloadable", message.error));
    if (message.kind === "output") return log(Buffer.from(message.chunk));
    const invocation = pending?.id === message.id ? pending : null;
    if (!invocation) return;
    pending = null;
    if (message.kind === "error") invocation.reject(toFunctionFailed("threw", message.error));
    else invocation.resolve(message.json === undefined ? null : JSON.parse(message.json));
  });
  worker.on("error", (error: Error) => fail(new FunctionFailed("died", error.message, error.stack)));
  worker.on("exit", () => fail(new FunctionFailed("died", `${data.functionName}: the runtime exited.`)));

  // While it stands still between two events its loop counts as active, so each event is observed for itself.
  const observe = (): void => {
    observed = { at: performance.now(), loop: worker.performance.eventLoopUtilization(), computing: 1 };
  };
  const computing = (): number => {
    if (!pending || !observed) return 0;
    const now = performance.now();
    if (now - observed.at < OBSERVED_MS) return observed.computing;
    const loop = worker.performance.eventLoopUtilization();
    const { utilization } = worker.performance.eventLoopUtilization(loop, observed.loop);
    observed = { at: now, loop, computing: utilization };
    return utilization;
  };

  return {
    loaded: () => loadResult.promise,
    failure: () => failure,
    computing,
    hangs: () => pending !== null && performance.now() - startedAt >= HANGS_AFTER_MS && computing() < HANGS_COMPUTING,
    async invoke(event) {
      await loadResult.promise;
      if (failure) throw failure;
      const id = randomUUID();
      const result = Promise.withResolvers<unknown>();
      startedAt = performance.now();
      observe();
      pending = { id, resolve: result.resolve, reject: result.reject };
      const timer = setTimeout(() => {
        const seconds = (timeoutMs / 1_000).toFixed(2);
        fail(new FunctionFailed("timed-out", `${data.functionName}: Task timed out after ${seconds} seconds`));
      }, timeoutMs);
      worker.postMessage({ id, event, timeoutMs } satisfies ToSandbox);
      Atomics.store(wake, 0, 1);
      Atomics.notify(wake, 0);
      return await result.promise.finally(() => clearTimeout(timer));
    },
    async close() {
      fail(new FunctionFailed("died", `${data.functionName}: the stack is stopping.`));
      await worker.terminate();
    },
  };
}

function toFunctionFailed(
  reason: FunctionFailed["reason"],
  { errorType, errorMessage, trace }: HandlerError,
): FunctionFailed {
  return new FunctionFailed(reason, `${errorType}: ${errorMessage}`, trace);
}
