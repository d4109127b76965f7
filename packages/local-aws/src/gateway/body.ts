import type { IncomingMessage } from "node:http";

/** Reads the body of a request. Returns null if it exceeds the limit. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Reads on to the end, so that the client receives the response.
    if (size <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return size > maxBytes ? null : Buffer.concat(chunks);
}
