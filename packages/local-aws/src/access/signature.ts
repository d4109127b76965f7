import { createSecretKey, type KeyObject } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { hmacSha256, sameBytes, sha256Hex } from "../support/bytes.ts";

// Signature Version 4, as the SDKs and the AWS CLI sign a request with headers.

/** The secrets of the accepted access keys, by their ids. */
export type AccessKeys = Readonly<Record<string, string>>;

/** A completely read request. */
export interface SignedRequest {
  readonly method: string;
  /** As sent: encoded, with its query. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export function toSignedRequest({ method = "GET", url = "/", headers }: IncomingMessage, body: Buffer): SignedRequest {
  const entries = Object.entries(headers);
  const joined = entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]);
  return { method, url, headers: Object.fromEntries(joined) as Record<string, string>, body };
}

export interface SignatureCheck {
  readonly accessKeys: AccessKeys;
  /** False accepts any signature of a known access key. */
  readonly isVerified: boolean;
}

/** The names of the exceptions of AWS. */
export type SignatureProblem =
  | "MissingAuthenticationTokenException"
  | "UnrecognizedClientException"
  | "InvalidSignatureException";

export const signatureProblems: Readonly<Record<SignatureProblem, string>> = {
  MissingAuthenticationTokenException: "Missing signature. Use an SDK client with credentials.",
  UnrecognizedClientException: "Unknown access key id. Use the one in aws-credentials in the data folder.",
  InvalidSignatureException: "The signature does not match. Use the secret access key in aws-credentials.",
};

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 +Credential=(?<scope>[^,\s]+), *SignedHeaders=(?<names>[^,\s]+), *Signature=(?<signature>\w+)$/;

/** The id of the access key that signs a request with a header. Null without one. */
export function signingKeyId({ headers }: Pick<SignedRequest, "headers">): string | null {
  return AUTHORIZATION.exec(headers.authorization ?? "")?.groups?.scope?.split("/")[0] ?? null;
}

/**
 * Returns the problem of a request's signature, or null. The time of the signature is not compared: the stack's clock may
 * be days ahead of the signer's.
 */
export function findSignatureProblem(request: SignedRequest, check: SignatureCheck): SignatureProblem | null {
  const { authorization } = request.headers;
  if (authorization === undefined) return "MissingAuthenticationTokenException";
  const { scope = "", names = "", signature = "" } = AUTHORIZATION.exec(authorization)?.groups ?? {};
  const [accessKeyId = "", ...parts] = scope.split("/");
  const secret = Object.hasOwn(check.accessKeys, accessKeyId) ? check.accessKeys[accessKeyId] : undefined;
  if (secret === undefined) return "UnrecognizedClientException";
  if (!check.isVerified) return null;
  if (!hasSignedHeaders(request, names.split(";"))) return "InvalidSignatureException";
  const text = [
    "AWS4-HMAC-SHA256",
    request.headers["x-amz-date"] ?? "",
    parts.join("/"),
    sha256Hex(canonicalRequest(request, names, parts[2] ?? "")),
  ];
  const expected = hmacSha256(signingKey(secret, parts), text.join("\n")).toString("hex");
  return sameBytes(expected, signature) && hasSignedBody(request) ? null : "InvalidSignatureException";
}

/** Whether what selects the service and its operation is signed. */
function hasSignedHeaders({ headers }: SignedRequest, names: readonly string[]): boolean {
  return ["host", "x-amz-date", "x-amz-target"].every((name) => names.includes(name) || headers[name] === undefined);
}

/** S3 signs a header with the hash of the body, or with a word in place of it. The other services sign the hash itself. */
function hasSignedBody({ headers, body }: SignedRequest): boolean {
  const statedHash = headers["x-amz-content-sha256"];
  return statedHash === undefined || !/^[0-9a-f]{64}$/.test(statedHash) || statedHash === sha256Hex(body);
}

function canonicalRequest({ method, url, headers, body }: SignedRequest, names: string, service: string): string {
  const [path = "/", query = ""] = splitUrl(url);
  // S3 signs the path as it is sent, and the others encode it again.
  const signedPath = service === "s3" ? path : path.split("/").map(encodePart).join("/");
  const headerLines = names
    .split(";")
    .map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}\n`)
    .join("");
  const payload = headers["x-amz-content-sha256"] ?? sha256Hex(body);
  return [method, signedPath, canonicalQuery([...new URLSearchParams(query)]), headerLines, names, payload].join("\n");
}

/** The parameters as they are signed: encoded and sorted by their names. */
export function canonicalQuery(parameters: readonly (readonly [name: string, value: string])[]): string {
  return parameters
    .map(([name, value]) => [encodePart(name), encodePart(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map((pair) => pair.join("="))
    .join("&");
}

function splitUrl(url: string): [path: string, query: string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}

/** Each function has a secret of its own and signs for a few services. Node.js reads a KeyObject much faster than bytes. */
const KEYS_MAX = 1_000;
const keys = new Map<string, KeyObject>();

/** A key is for one day, region and service. */
function signingKey(secret: string, parts: readonly string[]): KeyObject {
  const name = [secret, ...parts].join("/");
  let key = keys.get(name);
  if (key === undefined) {
    if (keys.size >= KEYS_MAX) keys.clear();
    key = createSecretKey(
      parts.reduce<Buffer>((chained, part) => hmacSha256(chained, part), Buffer.from(`AWS4${secret}`)),
    );
    keys.set(name, key);
  }
  return key;
}

/** Encodes every character that RFC 3986 does not leave unreserved. */
export function encodePart(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
