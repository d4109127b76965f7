import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";
import type { Credentials } from "./credentials.ts";

// AWS Signature Version 4. Source: "Create a signed AWS API request" of the IAM User Guide.

export interface Scope {
  readonly region: string;
  /** As the signature names it, such as `s3`. */
  readonly service: string;
}

/** With what a request is signed. */
export interface Signing {
  readonly credentials: Credentials;
  readonly scope: Scope;
  readonly time: Date;
}

export interface UnsignedRequest {
  readonly method: string;
  /** Each segment encoded once. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Names in lower case, `host` among them. All are signed. */
  readonly headers: Readonly<Record<string, string>>;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
/** A process signs for few scopes. Credentials that change leave keys behind, so the cache ends at a size. */
const KEYS_MAX = 32;
const keys = new Map<string, KeyObject>();

export const sha256Hex = (data: string | Uint8Array): string => hash("sha256", data, "hex");
const hmac = (key: string | Buffer | KeyObject, data: string): Buffer =>
  createHmac("sha256", key).update(data).digest();

/** `encodeURIComponent` leaves five characters that RFC 3986 reserves. */
export const encodeRfc3986 = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

/** The time as signatures write it, such as `20260101T120000Z`. */
export const toAmzDate = (time: Date): string => time.toISOString().replace(/[-:]|\.\d{3}/g, "");

export const toScope = (day: string, { region, service }: Scope): string => `${day}/${region}/${service}/aws4_request`;

/** The query as it is sent and signed: encoded, and sorted by name. */
export function toQueryString(query: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(query).map(([name, value]) => `${encodeRfc3986(name)}=${encodeRfc3986(value)}`);
  return pairs.sort().join("&");
}

/** The headers of a request that AWS accepts: those of the request, the time, the hash of the body and the signature. */
export function sign(request: UnsignedRequest, bodyHash: string, signing: Signing): Record<string, string> {
  const { credentials, scope } = signing;
  const date = toAmzDate(signing.time);
  const headers: Record<string, string> = { ...request.headers, "x-amz-date": date, "x-amz-content-sha256": bodyHash };
  if (credentials.sessionToken !== undefined) headers["x-amz-security-token"] = credentials.sessionToken;
  const { signedHeaders, signature } = signatureOf({ ...request, headers }, bodyHash, signing);
  const credential = `${credentials.accessKeyId}/${toScope(date.slice(0, 8), scope)}`;
  headers.authorization = `${ALGORITHM} Credential=${credential}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
  return headers;
}

/** The query of a URL that anyone may use for `seconds`. */
export function presign(request: UnsignedRequest, seconds: number, signing: Signing): Record<string, string> {
  const { credentials, scope } = signing;
  const date = toAmzDate(signing.time);
  const query: Record<string, string> = {
    ...request.query,
    "X-Amz-Algorithm": ALGORITHM,
    "X-Amz-Credential": `${credentials.accessKeyId}/${toScope(date.slice(0, 8), scope)}`,
    "X-Amz-Date": date,
    "X-Amz-Expires": String(seconds),
    "X-Amz-SignedHeaders": Object.keys(request.headers).sort().join(";"),
    ...(credentials.sessionToken === undefined ? {} : { "X-Amz-Security-Token": credentials.sessionToken }),
  };
  const { signature } = signatureOf({ ...request, query }, "UNSIGNED-PAYLOAD", signing);
  return { ...query, "X-Amz-Signature": signature };
}

/** The signature of a text, such as the policy of a form. @param date of `toAmzDate` */
export const signText = (text: string, { secretAccessKey }: Credentials, scope: Scope, date: string): string =>
  hmac(signingKey(secretAccessKey, date.slice(0, 8), scope), text).toString("hex");

/** @param bodyHash of `sha256Hex`, in lower-case hexadecimal */
export function signatureOf(
  { method, path, query, headers }: UnsignedRequest,
  bodyHash: string,
  { credentials, scope, time }: Signing,
): { signedHeaders: string; signature: string } {
  const date = toAmzDate(time);
  const names = Object.keys(headers).sort();
  const signedHeaders = names.join(";");
  let lines = "";
  for (const name of names) lines += `${name}:${headers[name]?.trim().replace(/ +/g, " ")}\n`;
  // S3 signs the path as it is sent, every other service with each segment encoded again.
  const signedPath = scope.service === "s3" || path === "/" ? path : path.split("/").map(encodeRfc3986).join("/");
  const canonical = `${method}\n${signedPath}\n${toQueryString(query)}\n${lines}\n${signedHeaders}\n${bodyHash}`;
  const text = `${ALGORITHM}\n${date}\n${toScope(date.slice(0, 8), scope)}\n${sha256Hex(canonical)}`;
  return { signedHeaders, signature: signText(text, credentials, scope, date) };
}

/** Of a day, a region and a service: four hashes, so it is computed once. Node.js reads a KeyObject much faster than bytes. */
function signingKey(secretAccessKey: string, day: string, { region, service }: Scope): KeyObject {
  const name = `${day} ${region} ${service} ${secretAccessKey}`;
  let key = keys.get(name);
  if (key === undefined) {
    if (keys.size >= KEYS_MAX) keys.clear();
    const bytes = [day, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
    key = createSecretKey(bytes as Buffer);
    keys.set(name, key);
  }
  return key;
}
