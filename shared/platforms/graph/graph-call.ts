import { DAY, type Millis, SECOND } from "#base/kernel/time.ts";
import type { CallFailure, CallRefused, CallUnknown } from "./account-platform.ts";
import { readRefusal, refusalDetail, unreachable } from "./errors.ts";
import type { CallOutcome, PlatformHttp } from "./http.ts";
import { asObject, type JsonObject, parseJson, readId } from "./json.ts";
import type { SendRefused } from "./platform.ts";

// Readers of the values that a connection is made of. Every function accepts any value and never throws.

const TOKEN_CHARS_MAX = 2_048;
const LIFE_MAX: Millis = 3_650 * DAY;

/** An account, a page or a person. @returns null when the id is absent or cannot be part of a key */
export function readAccountId(value: unknown): string | null {
  return readId(value) ?? null;
}

/** A token that an HTTP header can carry. */
export function readToken(value: unknown): string | null {
  return typeof value === "string" && value.length <= TOKEN_CHARS_MAX && /^[!-~]+$/.test(value) ? value : null;
}

/** `expires_in`, in seconds. @returns null when it is absent or no length of time */
export function readLife(value: unknown): Millis | null {
  const seconds = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof seconds !== "number" || !(seconds > 0)) return null;
  return Math.min(Math.floor(seconds * SECOND), LIFE_MAX);
}

/** A list of names, as a list or as text with commas. @returns null for anything else */
export function readNames(value: unknown): string[] | null {
  const names = typeof value === "string" ? value.split(",").map((name) => name.trim()) : value;
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : null;
}

/** The fields of a subscription. A field is a name, or an object with its name and version. */
export function readFieldNames(value: unknown): ReadonlySet<unknown> {
  const fields: unknown[] = Array.isArray(value) ? value : (readNames(value) ?? []);
  return new Set(fields.map((field) => asObject(field)?.name ?? field));
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/;

/** A time such as `2026-11-22T10:00:00+0000`. @returns null for anything else */
export function readIsoTime(value: unknown): Millis | null {
  if (typeof value !== "string" || !ISO_TIME.test(value)) return null;
  const at = Date.parse(value.replace(/([+-]\d\d)(\d\d)$/, "$1:$2"));
  return at > 0 ? at : null;
}

type Parameters = Readonly<Record<string, string>>;

/** One call to a Graph API or a login host. */
export interface GraphCall {
  readonly method: "GET" | "POST" | "DELETE";
  /** Without a query. */
  readonly url: string;
  /** Sent as the bearer token; null for a call that carries none. */
  readonly token: string | null;
  readonly query?: Parameters;
  /** The body of a POST. Default: none of its fields. */
  readonly form?: Parameters;
  /** From `http.deadline()`. Default: that of any call. */
  readonly deadline?: AbortSignal;
}

const unknown: CallUnknown = { kind: "unknown" };

const secretParameters: ReadonlySet<string> = new Set([
  "access_token",
  "appsecret_proof",
  "client_secret",
  "code",
  "fb_exchange_token",
  "input_token",
]);

/**
 * Makes one call.
 * @param read reads the body of a 2xx answer; null when a field is missing or malformed, which is a failure
 */
export async function callGraph<Result>(
  http: PlatformHttp,
  call: GraphCall,
  read: (body: JsonObject) => Result | null,
): Promise<Result | CallFailure> {
  const outcome = await request(http, call);
  if (outcome.kind === "unsent") return toRefused(unreachable);
  if (outcome.kind !== "answered") return unknown;
  const { status } = outcome;
  const body = asObject(parseJson(outcome.body));
  if (!body || status < 200) return unknown;
  const error = readError(body);
  if (status <= 299 && !error) return read(body) ?? unknown;
  if (status > 299 && status < 400) return unknown;
  if (!error) return unknown;
  const secrets = secretsOf(call);
  const refusal = status <= 499 ? readRefusal(error, outcome, secrets) : null;
  return refusal ? toRefused(refusal) : { kind: "unknown", detail: refusalDetail(error, secrets) };
}

function request(http: PlatformHttp, { method, url: to, token, query = {}, form = {}, deadline }: GraphCall) {
  const parameters = new URLSearchParams(query).toString();
  const call = { url: parameters === "" ? to : `${to}?${parameters}`, token, ...(deadline ? { deadline } : {}) };
  const calls: Record<GraphCall["method"], () => Promise<CallOutcome>> = {
    GET: () => http.get(call),
    POST: () => http.postForm({ ...call, form }),
    DELETE: () => http.delete(call),
  };
  return calls[method]();
}

/** The error of an answer, which may also have the status 200. Instagram's code exchange has a form of its own. */
function readError(body: JsonObject): JsonObject | null {
  const error = asObject(body.error);
  if (error) return withMessage(error, error.message);
  if (body.error_type === undefined && body.error_message === undefined) return null;
  return withMessage({ code: body.code }, body.error_message);
}

function withMessage(error: JsonObject, message: unknown): JsonObject {
  return { ...error, message: message || "The platform refused the call." };
}

function secretsOf({ token, query = {}, form = {} }: GraphCall): string[] {
  const values = [query, form].flatMap((parameters) =>
    Object.entries(parameters).flatMap(([name, value]) => (secretParameters.has(name) ? [value] : [])),
  );
  return token === null ? values : [token, ...values];
}

function toRefused(refusal: SendRefused): CallRefused {
  const { kind, class: refusalClass, detail, code, subcode, accountStatus, transient, coolDownMs } = refusal;
  return {
    kind,
    class: refusalClass,
    detail,
    code,
    subcode,
    accountStatus,
    transient,
    ...(coolDownMs === null ? {} : { coolDownMs }),
  };
}

/** Where an answer about an account has the address of its profile picture. */
export interface PictureField {
  /** As the parameter `fields` names it. */
  readonly name: string;
  /** @returns the address, not validated; null for none */
  readonly read: (account: JsonObject) => string | null;
}

/** Of an Instagram account. */
export const instagramPicture: PictureField = {
  name: "profile_picture_url",
  read: (account) => asText(account.profile_picture_url),
};

/** Of a page. */
export const pagePicture: PictureField = {
  name: "picture{url}",
  read: (page) => asText(asObject(asObject(page.picture)?.data)?.url),
};

function asText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
