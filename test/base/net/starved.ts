import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";

const never = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the event loop of this thread, as a long computation or a wait for a processor does. */
export function blockLoop(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}

/** Lets this thread run for three tenths of the time until the test ends, as at a share of a processor. */
export function starve(): void {
  const timer = setInterval(() => blockLoop(70), 30);
  onTestFinished(() => clearInterval(timer));
}

const SCRIPT = `
  const { createServer } = require("node:http");
  const { parentPort, workerData } = require("node:worker_threads");
  const events = [];
  const server = createServer((request, response) => {
    events.push([request.url, request.headers["svc-event-id"]].join(" "));
    request.resume().on("end", () => setTimeout(() => response.end("ok"), workerData.delay));
  });
  parentPort.on("message", () => parentPort.postMessage(events));
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

/** A receiver in a thread of its own, which answers after `delay` milliseconds while this thread is blocked, too. */
export async function startReceiverThread(delay: number) {
  const worker = new Worker(SCRIPT, { eval: true, workerData: { delay } });
  onTestFinished(async () => void (await worker.terminate()));
  const next = <T>() => new Promise<T>((resolve) => worker.once("message", resolve));
  const port = await next<number>();
  return {
    port,
    /** The path and the event of each request, in order. */
    requests(): Promise<string[]> {
      const requests = next<string[]>();
      worker.postMessage(null);
      return requests;
    },
  };
}
