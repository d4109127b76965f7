import type { $ZodType } from "zod/v4/core";
import { REQUEST_BODY_BYTES_MAX } from "#base/kernel/limits.ts";
import { isRefusal, type Refusal, refusalMessage, toHttpError } from "#base/kernel/refusals.ts";
import type { RequestTime } from "#base/kernel/request-time.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { printableText } from "#base/kernel/text/printable.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { RequestPace } from "#features/access/authenticate.ts";
import { type Caller, isStrict, refuseSuspendedKey } from "#features/access/rules/callers.ts";
import { isLook, isMeant } from "./browser/consent.ts";
import { authenticateChallenge, type Credentials, identifyCaller, readCredential } from "./credentials/credentials.ts";
import { namedTenant } from "./credentials/named-tenant.ts";
import type { Endpoint, RequestMetadata } from "./endpoint.ts";
import { ignoredHeader, ignoredInput, refuseIgnored } from "./hints/ignored-input.ts";
import { HttpResponse } from "./http-response.ts";
import type { RawRequest } from "./raw-request.ts";
import {
  assertMatchesSchema,
  parseJson,
  readBytes,
  readIdempotencyKey,
  readPage,
  readParameters,
  resolveTenant,
  validate,
} from "./request.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** The checks that every request passes before its route. */
export interface Guards {
  readonly credentials: Credentials;
  /** The page of the errors, to which each error links with its code as anchor. Without one, no error has a link. */
  readonly docsUrl?: string | undefined;
  /** Compares each response with its declared schema; a mismatch is a 500. For tests. */
  readonly checkData?: boolean;
}

/** A request as the app received it. */
export interface IncomingRequest {
  readonly raw: RawRequest;
  readonly metadata: RequestMetadata;
  /** The parameters of the path. */
  readonly path: Record<string, string>;
  readonly now: Millis;
  readonly time: RequestTime;
}

/**
 * Serves one request: form of the credential, size, credential, rate limit, suspension, tenant, parameters, body, handler.
 * Throws only on a fault.
 * @param onPace gets the pace of the caller once the request is counted, also when a fault follows
 */
export async function serve<P>(
  options: Guards & { readonly ports: P },
  endpoint: Endpoint<P>,
  request: IncomingRequest,
  onPace: (pace: RequestPace) => void,
): Promise<HttpResponse> {
  const result = await answerCaller(options, endpoint, request, onPace);
  const response = isRefusal(result) ? failure(result, options.docsUrl) : result;
  if (response.status === 401 && endpoint.auth !== "none") {
    response.headers.set("www-authenticate", authenticateChallenge(endpoint.auth, isRefusal(result) ? result : null));
  }
  return response;
}

/** The response of the handler, or the refusal of a request that does not reach it. */
async function answerCaller<P>(
  options: Guards & { readonly ports: P },
  endpoint: Endpoint<P>,
  request: IncomingRequest,
  onPace: (pace: RequestPace) => void,
): Promise<HttpResponse | Refusal> {
  const { raw, now } = request;
  const credential = endpoint.auth === "none" ? null : readCredential(options.credentials, endpoint, raw.headers);
  if (isRefusal(credential)) return credential;
  const bytes = await readBytes(raw, endpoint.bodyBytesMax ?? REQUEST_BODY_BYTES_MAX);
  if (isRefusal(bytes)) return bytes;
  if (credential === null) return respond(options, endpoint, { ...request, bytes, caller: null });

  const { method } = endpoint;
  const caller = await identifyCaller(options.credentials, credential, { method, headers: raw.headers }, now);
  if (isRefusal(caller)) return caller;
  const requestTenant = namedTenant(endpoint, { query: request.metadata.query, path: request.path, bytes });
  const pace = await options.credentials.rateLimit(caller, now, requestTenant);
  if (pace) onPace(pace);
  if (pace?.refusal) return pace.refusal;
  const suspension = refuseSuspendedKey(caller);
  if (suspension) return suspension;
  return respond(options, endpoint, { ...request, bytes, caller });
}

/** Adds the headers that say how many requests the caller has left. */
export function withPace(response: HttpResponse, { limit, remaining, resetSeconds }: RequestPace): HttpResponse {
  response.headers.set("ratelimit-limit", String(limit));
  response.headers.set("ratelimit-remaining", String(remaining));
  response.headers.set("ratelimit-reset", String(resetSeconds));
  return response;
}

/** A request of an identified caller; null where none is needed. */
type CallerRequest = IncomingRequest & { readonly bytes: Uint8Array; readonly caller: Caller | null };

async function respond<P>(
  options: Guards & { readonly ports: P },
  endpoint: Endpoint<P>,
  request: CallerRequest,
): Promise<HttpResponse | Refusal> {
  const { metadata, bytes, caller } = request;
  const parameters = queryParameters(endpoint, metadata);
  if (isRefusal(parameters)) return parameters;

  const tenant =
    endpoint.tenant === "query" && caller !== null
      ? resolveTenant(caller, parameters.get("tenant"), endpoint.role)
      : null;
  if (isRefusal(tenant)) return tenant;

  const sentBody = readBody(endpoint, bytes);
  if (isRefusal(sentBody)) return sentBody;

  const input = { parameters, tenant, body: sentBody.value };
  if (endpoint.envelope === false) return handleInput(options, endpoint, request, input);
  const ignored = ignoredInput(endpoint, parameters.keys(), input.body);
  const header = ignoredHeader(ignored);
  if (header !== null && caller !== null && isStrict(caller)) return refuseIgnored(ignored);

  const response = await handleInput(options, endpoint, request, input);
  if (header !== null) response.headers.set("parley-ignored", header);
  return response;
}

/** What a request sent, before it is compared with the schemas of its route. */
interface SentInput {
  readonly parameters: Map<string, string>;
  readonly tenant: TenantId | null;
  readonly body: unknown;
}

/** The response of the handler, or the refusal of an input that it does not take. */
async function handleInput<P>(
  options: Guards & { readonly ports: P },
  endpoint: Endpoint<P>,
  { metadata, path, now, time, caller }: CallerRequest,
  { parameters, tenant, body: sentBody }: SentInput,
): Promise<HttpResponse> {
  const refused = (refusal: Refusal) => failure(refusal, options.docsUrl);
  const page = endpoint.paged ? readPage(parameters) : null;
  if (isRefusal(page)) return refused(page);

  const query = endpoint.query ? validate(endpoint.query, Object.fromEntries(parameters), "query") : { value: {} };
  if (isRefusal(query)) return refused(query);

  const body = isParsed(endpoint.body) ? validate(endpoint.body, sentBody, "body") : { value: sentBody };
  if (isRefusal(body)) return refused(body);

  const idempotencyKey = endpoint.idempotent ? readIdempotencyKey(metadata.headers) : null;
  if (isRefusal(idempotencyKey)) return refused(idempotencyKey);

  const parsedRequest = { tenant, path, query: query.value, body: body.value, page, idempotencyKey };
  let isReplayed = false;
  const onReplay = () => {
    isReplayed = true;
  };
  const responseCookies: string[] = [];
  const setCookies = (cookies: readonly string[]) => {
    responseCookies.push(...cookies);
  };
  const author = caller && { caller, ip: metadata.sourceIp };
  const input = {
    caller,
    author,
    ...parsedRequest,
    onReplay,
    setCookies,
    request: metadata,
    now,
    time,
    ports: options.ports,
  };
  const result = (await withoutWill(endpoint, metadata, input)) ?? (await endpoint.handle(input));
  const response = toHttpResponse(options, endpoint, result);
  if (isReplayed) response.headers.set("idempotent-replayed", "true");
  for (const cookie of responseCookies) response.headers.append("set-cookie", cookie);
  return response;
}

/**
 * The answer to a GET that would change something, where nothing shows that its person meant it. Null where the handler is
 * to run.
 */
async function withoutWill<P>(
  endpoint: Endpoint<P>,
  metadata: RequestMetadata,
  input: { readonly ports: P },
): Promise<unknown> {
  if (!endpoint.changes) return null;
  if (isLook(metadata)) return new HttpResponse(null, { status: 204 });
  return endpoint.confirm && !isMeant(metadata) ? endpoint.confirm(input) : null;
}

function queryParameters<P>(
  { repeatedParameters }: Endpoint<P>,
  { query }: RequestMetadata,
): Map<string, string> | Refusal<"invalid_request"> {
  const parameters = readParameters(query);
  return repeatedParameters === "as_empty" && isRefusal(parameters) ? new Map() : parameters;
}

/** The body as sent, with the documented name of each legacy one. */
function readBody<P>(
  { body, aliases }: Endpoint<P>,
  bytes: Uint8Array,
): { value: unknown } | Refusal<"invalid_request"> {
  if (body === undefined) return { value: undefined };
  if (body === "bytes") return { value: bytes };
  const json = parseJson(bytes);
  return isRefusal(json) ? json : { value: resolveAliases(json.value, aliases) };
}

function isParsed(body: Endpoint<never>["body"]): body is $ZodType {
  return body !== undefined && body !== "bytes";
}

function resolveAliases(body: unknown, aliases: { readonly [alias: string]: string } = {}): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const isAlias = (name: string) => Object.hasOwn(aliases, name);
  const entries = Object.entries(body).map(([name, value]) => [(isAlias(name) && aliases[name]) || name, value]);
  const documented = Object.entries(body).filter(([name]) => !isAlias(name));
  return Object.fromEntries([...entries, ...documented]);
}

function toHttpResponse<P>(
  { checkData = false, docsUrl }: Guards,
  endpoint: Endpoint<P>,
  result: unknown,
): HttpResponse {
  if (result instanceof HttpResponse) return result;
  if (isRefusal(result as Refusal | object)) {
    const refusal = result as Refusal;
    const schema = endpoint.errorFields?.[toHttpError(refusal.refused).status];
    if (checkData && schema) assertMatchesSchema(schema, refusal.fields);
    return failure(refusal, docsUrl);
  }
  if (checkData && endpoint.data) assertMatchesSchema(endpoint.data, result);
  return success(result, endpoint.acceptedWhen?.(result) ? 202 : (endpoint.status ?? 200));
}

/** `{ ok: true, data }`. Throws when `data` cannot be serialized. */
export function success(data: unknown, status = 200): HttpResponse {
  return HttpResponse.json({ ok: true, data }, { status, headers: { "content-type": JSON_TYPE } });
}

/**
 * `{ ok: false, error: { code, message, detail } }` with the refusal's status, its further fields, and `errors` for an
 * invalid request. `detail` is "" when there is none.
 * @param docsUrl the page of the errors: `docs_url` is the part of it about the code
 */
export function failure(refusal: Refusal, docsUrl?: string): HttpResponse {
  const { status, code } = toHttpError(refusal.refused);
  const { detail = "", errors, fields } = refusal;
  const error = {
    code,
    message: refusalMessage(refusal),
    detail: printableText(detail),
    ...(errors ? { errors } : {}),
    ...(docsUrl === undefined ? {} : { docs_url: `${docsUrl}#${code}` }),
    ...fields,
  };
  const response = HttpResponse.json({ ok: false, error }, { status, headers: { "content-type": JSON_TYPE } });
  if (refusal.retryAfter !== undefined) response.headers.set("retry-after", String(refusal.retryAfter));
  return response;
}

/** Adds the headers of every response. Returns a copy, because a route may answer with the same response again. */
export function withCommonHeaders(response: HttpResponse, correlationId: string): HttpResponse {
  const copy = new HttpResponse(response.body, response);
  copy.headers.set("x-correlation-id", correlationId);
  copy.headers.set("x-content-type-options", "nosniff");
  if (!copy.headers.has("cache-control")) copy.headers.set("cache-control", "no-store");
  return copy;
}
