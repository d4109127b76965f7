import { createHash } from "node:crypto";
import { canonicalQuery, encodePart } from "../../access/signature.ts";
import { DAY, iso, MINUTE, type Millis, SECOND } from "../../support/time.ts";
import { accessDenied, S3Error } from "./errors.ts";
import type { S3Request } from "./http.ts";
import { checkTextSignature, parseCredential } from "./signature.ts";

export interface PresignedSettings {
  readonly credentials: Readonly<Record<string, string>>;
  readonly region: string;
  readonly now: Millis;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
const REQUIRED = ["Algorithm", "Credential", "Date", "Expires", "SignedHeaders", "Signature"] as const;
/** Headers that the SDK puts into the query. */
const HOISTED = ["X-Amz-Content-Sha256", "x-amz-checksum-mode"];
const LIFETIME_MAX = 7 * DAY;
/** The signer's clock may be ahead by this much. */
const CLOCK_SKEW_MAX = 15 * MINUTE;

type Parameters = Readonly<Record<(typeof REQUIRED)[number], string>>;

export function isPresigned({ query }: S3Request): boolean {
  return [...query.keys()].some((name) => name.startsWith("X-Amz-"));
}

/**
 * The request without its signature, if it is signed with a known credential and not expired. As in S3, the signature covers
 * the method, the path, every other parameter and the signed headers, of which `host` is one.
 * @throws S3Error with the code of S3 otherwise
 */
export function checkPresigned(request: S3Request, settings: PresignedSettings): S3Request {
  if (request.headers.authorization !== undefined) {
    throw new S3Error("InvalidArgument", 400, "Only one auth mechanism allowed.");
  }
  const parameters = readParameters(request.query);
  if (request.query.has("X-Amz-Security-Token")) {
    throw new S3Error("InvalidToken", 400, "The provided token is malformed or otherwise invalid.");
  }
  const signedAt = checkScope(parameters, settings.region);
  checkSignedHeaders(request, parameters);
  const text = [ALGORITHM, parameters.Date, scopeOf(parameters), sha256(canonicalRequest(request, parameters))];
  const signed = { text: text.join("\n"), signature: parameters.Signature };
  checkTextSignature(settings.credentials, parseCredential(parameters.Credential), signed);
  checkLifetime(parameters, signedAt, settings.now);
  const query = new URLSearchParams(request.query);
  for (const name of [...REQUIRED.map((each) => `X-Amz-${each}`), ...HOISTED]) query.delete(name);
  return { ...request, query };
}

function readParameters(query: URLSearchParams): Parameters {
  const entries = REQUIRED.map((name) => [name, query.get(`X-Amz-${name}`) ?? ""] as const);
  const incomplete = entries.some(([name, value]) => value === "" || query.getAll(`X-Amz-${name}`).length > 1);
  if (incomplete) {
    throw invalidParameters(`Query-string authentication requires each of X-Amz-${REQUIRED.join(", X-Amz-")}, once.`);
  }
  const parameters = Object.fromEntries(entries) as Parameters;
  if (parameters.Algorithm !== ALGORITHM) throw invalidParameters(`X-Amz-Algorithm only supports "${ALGORITHM}".`);
  if (!/^\d+$/.test(parameters.Expires)) throw invalidParameters("X-Amz-Expires should be a non-negative number");
  if (Number(parameters.Expires) * SECOND > LIFETIME_MAX) {
    throw invalidParameters("X-Amz-Expires must be less than a week (in seconds); it must be at most 604800");
  }
  return parameters;
}

/** The time of the signature. The scope must name its day, and the region. */
function checkScope({ Credential, Date: date }: Parameters, region: string): Millis {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const signedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(signedAt)) {
    throw invalidParameters("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\".");
  }
  const scope = parseCredential(Credential);
  if (scope.date !== date.slice(0, 8)) {
    throw invalidParameters(`Invalid credential date "${scope.date}". This date is not the same as X-Amz-Date.`);
  }
  if (scope.region !== region) {
    throw invalidParameters(
      `Error parsing the X-Amz-Credential parameter; the region '${scope.region}' is wrong; expecting '${region}'`,
    );
  }
  return signedAt;
}

/** Headers that S3 would act on must be signed, so that the holder of the URL cannot add one. */
function checkSignedHeaders({ headers }: S3Request, { SignedHeaders }: Parameters): void {
  const signed = SignedHeaders.split(";");
  const unsigned = Object.keys(headers).filter(
    (name) =>
      (name === "host" || name.startsWith("x-amz-")) && name !== "x-amz-content-sha256" && !signed.includes(name),
  );
  if (unsigned.length > 0) {
    throw accessDenied(`There were headers present in the request which were not signed: ${unsigned.join(", ")}`);
  }
}

function checkLifetime({ Expires }: Parameters, signedAt: Millis, now: Millis): void {
  const expiresAt = signedAt + Number(Expires) * SECOND;
  if (signedAt > now + CLOCK_SKEW_MAX) throw accessDenied("Request is not valid yet");
  if (expiresAt <= now) throw accessDenied(`Request has expired: it expired at ${iso(expiresAt)}`);
}

function canonicalRequest({ method, bucket, key, query, headers }: S3Request, { SignedHeaders }: Parameters): string {
  const path = [bucket, ...key.split("/")].map((segment) => `/${encodePart(segment)}`).join("");
  const search = canonicalQuery([...query].filter(([name]) => name !== "X-Amz-Signature"));
  const headerLines = SignedHeaders.split(";").map(
    (name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}\n`,
  );
  return [method, path, search, headerLines.join(""), SignedHeaders, "UNSIGNED-PAYLOAD"].join("\n");
}

function scopeOf({ Credential }: Parameters): string {
  return Credential.slice(Credential.indexOf("/") + 1);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function invalidParameters(message: string): S3Error {
  return new S3Error("AuthorizationQueryParametersError", 400, message);
}
