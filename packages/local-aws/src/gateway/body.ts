import type { IncomingMessage } from "node:http";

/**
 * Reads the body of a request, without the iterator of a stream, which costs more than the rest of a short request. Returns
 * null if it exceeds the limit. Rejects when the caller disconnects.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      // Reads on to the end, so that the client receives the response.
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on("end", () => {
      const [first] = chunks;
      const whole = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
      resolve(size > maxBytes ? null : whole);
    });
    request.on("error", reject);
    request.on("close", () => {
      if (!request.complete) reject(new Error("The caller disconnected."));
    });
  });
}
