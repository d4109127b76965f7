import { ParleyError } from "../../../client/src/errors.ts";

/** Larger than any event of Parley. */
export const BODY_BYTES_MAX = 1_000_000;

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads a body, at most `BODY_BYTES_MAX`. @returns null for a longer one, whose rest is not read */
export async function readBytes(chunks: AsyncIterable<Uint8Array>): Promise<Bytes | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.byteLength;
    if (length > BODY_BYTES_MAX) return null;
    parts.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.byteLength;
  }
  return bytes;
}

/** Something read the body before the receiver. @param fix how to prevent it in the framework */
export function bodyConsumed(fix: string): ParleyError {
  const message = `The body was read or parsed before the receiver, and a signature needs its raw bytes. ${fix}`;
  return new ParleyError({ code: "invalid_argument", message });
}

export const TOO_LARGE = {
  outcome: "refused",
  status: 413,
  headers: { "content-type": "text/plain; charset=utf-8", connection: "close" },
  body: "The body is longer than 1 MB.",
} as const;
