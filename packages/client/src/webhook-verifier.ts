import type { components } from "./api-types.ts";
import { ParleyError } from "./errors.ts";

type Events = components["schemas"]["Events"];

/** An event in its envelope. A later version of the API may publish types that are not listed: ignore them. */
export type WebhookEvent = Events[keyof Events];

export interface WebhookRequest {
  /** The body before any parsing. A text is encoded as UTF-8. */
  readonly body: Uint8Array | ArrayBuffer | string;
  /** `Headers`, or the headers of a request of Node.js. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface VerifyOptions {
  /** The receiver's clock, in milliseconds. */
  readonly now?: number | undefined;
}

const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = "whs_";
const SECRET_PATTERN = /^whs_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Verifies a delivery, and returns its event. Verifies `Svc-Signature`, or the Standard Webhooks headers if it is absent.
 * Throws a ParleyError: `signature_invalid`, or `invalid_argument` for a parsed body. Deduplicate on the event's `id` yourself.
 * @param secrets the signing secret, `whs_…`. Several while you change them: one match is enough.
 */
export async function verifyWebhook(
  { body, headers }: WebhookRequest,
  secrets: string | readonly string[],
  { now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const bytes = rawBytes(body);
  const signed = readSvcHeaders(headers) ?? readStandardHeaders(headers);
  if (signed === null) throw invalid("Missing signature headers. Pass the headers of the request.");
  const { timestamp, prefix, digests, toKey } = signed;
  if (!/^[0-9]{1,12}$/.test(timestamp)) throw invalid("The timestamp is not a number of seconds.");
  if (Math.abs(Math.floor(now / 1_000) - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw invalid("The timestamp is more than 300 seconds from the current time.");
  }
  const content = concat(encode(prefix), bytes);
  let isValid = false;
  for (const secret of checkedSecrets(secrets)) {
    const expected = await hmacSha256(toKey(secret), content);
    for (const digest of digests) if (sameBytes(digest, expected)) isValid = true;
  }
  if (!isValid) throw invalid("The signature does not match the body and the secret.");
  return parseEvent(bytes);
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Of a parsed body the signed bytes are lost. `express.json()` and its like return one. */
function rawBytes(body: WebhookRequest["body"]): Bytes {
  if (typeof body === "string") return encode(body);
  // Not `instanceof`: the bytes may be of another realm, such as that of a test runner.
  if (ArrayBuffer.isView(body) || Object.prototype.toString.call(body) === "[object ArrayBuffer]") {
    return new Uint8Array(body);
  }
  const message = "The body is parsed or missing. Pass the raw bytes of the request, before any body parser.";
  throw new ParleyError({ code: "invalid_argument", message });
}

interface SignedHeaders {
  readonly timestamp: string;
  /** What is signed before the body. */
  readonly prefix: string;
  readonly digests: readonly Bytes[];
  /** The HMAC key of a secret. */
  readonly toKey: (secret: string) => Bytes;
}

/** `Svc-Signature: v1=<hex>[,v1=<hex>]`, keyed with the whole secret. */
function readSvcHeaders(headers: WebhookRequest["headers"]): SignedHeaders | null {
  const signature = readHeader(headers, "svc-signature");
  if (signature === null) return null;
  const timestamp = readHeader(headers, "svc-timestamp") ?? "";
  const digests = signature.split(",").flatMap((part) => {
    const hex = /^v1=([0-9a-f]{64})$/.exec(part.trim())?.[1];
    return hex === undefined ? [] : [fromHex(hex)];
  });
  return { timestamp, prefix: `${timestamp}.`, digests, toKey: encode };
}

/** `webhook-signature: v1,<base64>[ v1,<base64>]`, keyed with the bytes behind the prefix of the secret. */
function readStandardHeaders(headers: WebhookRequest["headers"]): SignedHeaders | null {
  const signature = readHeader(headers, "webhook-signature");
  if (signature === null) return null;
  const timestamp = readHeader(headers, "webhook-timestamp") ?? "";
  const digests = signature.split(" ").flatMap((part) => {
    // 32 bytes have one text: the last character has two unused bits, which are zero.
    const base64 = /^v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)$/.exec(part)?.[1];
    return base64 === undefined ? [] : [fromBase64(base64)];
  });
  const prefix = `${readHeader(headers, "webhook-id") ?? ""}.${timestamp}.`;
  return { timestamp, prefix, digests, toKey: (secret) => fromBase64(secret.slice(SECRET_PREFIX.length)) };
}

function readHeader(headers: WebhookRequest["headers"], name: string): string | null {
  // Not `instanceof`: a framework may have a class of its own.
  if (typeof headers.get === "function") return (headers as Headers).get(name);
  const values = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
  const texts = values.flatMap(([, value]) => value ?? []);
  return texts.length === 0 ? null : texts.join(",");
}

/**
 * An empty or mistyped secret must never be the key of a digest. Throws a ParleyError `invalid_argument` for one.
 * @internal
 */
export function checkedSecrets(secrets: string | readonly string[]): readonly string[] {
  const list = typeof secrets === "string" ? [secrets] : secrets;
  if (list.length > 0 && list.every((secret) => SECRET_PATTERN.test(secret))) return list;
  const message = "Missing or invalid signing secret. Pass the whole secret of the endpoint: whs_ and base64.";
  throw new ParleyError({ code: "invalid_argument", message });
}

async function hmacSha256(key: Bytes, content: Bytes): Promise<Bytes> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const cryptoKey = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", cryptoKey, content));
}

/** Takes the same time for every difference. */
function sameBytes(a: Bytes, b: Bytes): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0);
  return difference === 0;
}

function parseEvent(bytes: Bytes): WebhookEvent {
  try {
    const event: WebhookEvent = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof event.id === "string" && typeof event.type === "string") return event;
  } catch {
    // Not JSON, or null.
  }
  throw new ParleyError({ code: "unexpected_response", message: "The signed body is not an event." });
}

const encode = (text: string): Bytes => new TextEncoder().encode(text);
const fromHex = (hex: string): Bytes => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
const fromBase64 = (base64: string): Bytes => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

function concat(first: Bytes, second: Bytes): Bytes {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

function invalid(message: string): ParleyError {
  return new ParleyError({ code: "signature_invalid", message });
}
