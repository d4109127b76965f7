import { type Refusal, refuse } from "../../shared/kernel/refusals.ts";

const DEPTH_MAX = 32;

/** The raw body, or 413 as soon as it is known to be longer than `bytesMax`; an absent body is empty. */
export async function readBytes(
  request: Request,
  bytesMax: number,
): Promise<Uint8Array | Refusal<"payload_too_large">> {
  const tooLarge = refuse("payload_too_large", `the body may have at most ${bytesMax} bytes`);
  if (request.body === null) return new Uint8Array();
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) return tooLarge;

  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > bytesMax) return tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The JSON value of a body, whatever its content type claims; undefined when the body is empty. Refused besides what is
 * not JSON: a byte order mark, bytes that are not UTF-8, half surrogate pairs, numbers too large to hold, `__proto__`
 * as a name, and nesting deeper than 32; nothing behind this door has to think of them again.
 */
export function parseJson(bytes: Uint8Array): { value: unknown } | Refusal<"invalid_request"> {
  if (bytes.byteLength === 0) return { value: undefined };
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return refuse("invalid_request", "body: must be JSON in UTF-8");
  }
  const flaw = findFlaw(value, 1);
  return flaw === null ? { value } : refuse("invalid_request", `body: ${flaw}`);
}

function findFlaw(value: unknown, depth: number): string | null {
  if (typeof value === "string") return value.isWellFormed() ? null : "a string holds half a surrogate pair";
  if (typeof value === "number") return Number.isFinite(value) ? null : "a number is too large";
  if (typeof value !== "object" || value === null) return null;
  if (depth > DEPTH_MAX) return `may be nested at most ${DEPTH_MAX} deep`;

  for (const [name, inner] of Object.entries(value)) {
    if (name === "__proto__") return "a field may not be named __proto__";
    const flaw = findFlaw(name, depth) ?? findFlaw(inner, depth + 1);
    if (flaw !== null) return flaw;
  }
  return null;
}
