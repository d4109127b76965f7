import type { Receiver, ReceiverResponse } from "../receiver.ts";
import { bodyConsumed, readBytes, TOO_LARGE } from "./body.ts";

/** The third argument of a Worker. */
interface WorkerContext {
  waitUntil(promise: Promise<unknown>): void;
}

const FIX = "Pass the request before anything reads it. In Hono, pass c.req.raw and no validator before the route.";

/**
 * A handler from `Request` to `Response`: a route handler of Next.js, the `fetch` of a Worker, `app.post` of Hono by
 * `c.req.raw`, Deno, Bun. In a Worker, an event is processed to its end also when the connection ends before.
 */
export function fetchHandler(
  receiver: Receiver,
): (request: Request, env?: unknown, context?: WorkerContext | object) => Promise<Response> {
  return async (request, _env, context) => {
    const handling = handle(receiver, request);
    if (context !== undefined && "waitUntil" in context) context.waitUntil(handling);
    const { status, headers, body } = await handling;
    return new Response(body === "" ? null : body, { status, headers: withoutConnection(headers) });
  };
}

async function handle(receiver: Receiver, request: Request): Promise<ReceiverResponse> {
  const { method, headers } = request;
  if (request.bodyUsed) return receiver.fail(bodyConsumed(FIX));
  try {
    const body = request.body === null ? new Uint8Array() : await readBytes(chunksOf(request.body));
    return body === null ? TOO_LARGE : await receiver.handle({ method, headers, body });
  } catch (error) {
    // The sender disconnected.
    return receiver.fail(error);
  }
}

/** Not the stream's own iterator, which some runtimes lack. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** A `Response` has no headers of the connection. */
function withoutConnection(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "connection"));
}
