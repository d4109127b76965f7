import type { Receiver, ReceiverResponse } from "../receiver.ts";
import { bodyConsumed, readBytes, TOO_LARGE } from "./body.ts";

/** A request of `node:http`, Express or an API route of Next.js. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** True once the body was read to its end. */
  readonly readableEnded?: boolean;
  /** Of a framework: the bytes of `express.raw()`, or a parsed body. */
  readonly body?: unknown;
  iterator?(options: { readonly destroyOnReturn: boolean }): AsyncIterable<Uint8Array>;
}

export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body?: string): unknown;
}

const FIX =
  "In Express, add the route of the receiver before express.json(). In an API route of Next.js, export config = { api: { bodyParser: false } }.";

/**
 * A handler for `http.createServer`, for `app.post` of Express and for API routes of Next.js. It reads the request itself:
 * no body parser may run before it, except `express.raw({ type: "application/json" })`.
 */
export function nodeHandler(receiver: Receiver): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const { status, headers, body } = await handle(receiver, request);
    response.writeHead(status, { ...headers });
    response.end(body);
  };
}

async function handle(receiver: Receiver, request: NodeRequest): Promise<ReceiverResponse> {
  const { method = "", headers, body } = request;
  try {
    if (body instanceof Uint8Array) return await receiver.handle({ method, headers, body });
    if (request.readableEnded || (body !== undefined && body !== null)) return receiver.fail(bodyConsumed(FIX));
    // The connection stays open for the response, also when the rest of a body is not read.
    const bytes = await readBytes(request.iterator?.({ destroyOnReturn: false }) ?? request);
    return bytes === null ? TOO_LARGE : await receiver.handle({ method, headers, body: bytes });
  } catch (error) {
    // The sender disconnected.
    return receiver.fail(error);
  }
}
