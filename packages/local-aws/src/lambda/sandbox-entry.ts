// Runs in the worker thread of a sandbox: loads the bundle as the Lambda runtime does, then processes one event after
// another. Between two events the thread is blocked, as Lambda freezes a sandbox once it has answered: timers and sockets
// that a handler left behind go on with the next event only.

import { enableCompileCache } from "node:module";
import type { Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { sharedClock } from "../support/clock.ts";
import type { FromSandbox, HandlerError, SandboxData, ToSandbox } from "./sandbox-messages.ts";

type Handler = (event: unknown, context: object) => unknown;

const data = workerData as SandboxData;
if (data.compileCache) enableCompileCache(data.compileCache);
const post = (message: FromSandbox): void => parentPort?.postMessage(message);

// The clock is a global of the functions. `Date` stays real, because the AWS SDK signs requests with it.
Object.assign(globalThis, { [Symbol.for(data.host.symbol)]: { ...data.host.values, now: sharedClock(data.clock) } });

const wake = new Int32Array(data.wake);

/** Blocks the thread until an event is sent. The stack can terminate the blocked thread. */
function freeze(): void {
  Atomics.wait(wake, 0, 0);
  Atomics.store(wake, 0, 0);
}

/** Sends the output at once. A worker's own stream sends a second chunk only after an acknowledgment, too late here. */
function postOutput(stream: Writable): void {
  stream._write = (chunk: string | Uint8Array, encoding, done) => {
    post({ kind: "output", chunk: typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk });
    done();
  };
}

async function load(): Promise<Handler> {
  const bundle = (await import(pathToFileURL(data.file).href)) as Record<string, unknown> & {
    default?: Record<string, unknown>;
  };
  const handler = bundle[data.handler] ?? bundle.default?.[data.handler];
  if (typeof handler === "function") return handler as Handler;
  throw new Error(`${data.file} does not export a function called ${data.handler}.`);
}

async function handleEvent(handler: Handler, { id, event, timeoutMs }: ToSandbox): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const context = {
    awsRequestId: id,
    functionName: data.functionName,
    functionVersion: "$LATEST",
    invokedFunctionArn: data.functionArn,
    memoryLimitInMB: String(data.memoryMb),
    logGroupName: `/aws/lambda/${data.functionName}`,
    logStreamName: "local",
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
  };
  try {
    const result = await handler(event, context);
    post({ kind: "result", id, json: JSON.stringify(result) });
  } catch (error) {
    post({ kind: "error", id, error: toHandlerError(error) });
  }
  freeze();
}

function toHandlerError(error: unknown): HandlerError {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: "" };
  return { errorType: error.name, errorMessage: error.message, trace: error.stack ?? "" };
}

try {
  postOutput(process.stdout);
  postOutput(process.stderr);
  const handler = await load();
  parentPort?.on("message", (message: ToSandbox) => void handleEvent(handler, message));
  post({ kind: "ready" });
  freeze();
} catch (error) {
  post({ kind: "unloadable", error: toHandlerError(error) });
}
