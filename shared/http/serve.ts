import { REQUEST_BODY_BYTES_MAX } from "#base/kernel/limits.ts";
import { isRefusal, type Refusal, refusalMessage, toHttpError } from "#base/kernel/refusals.ts";
import type { RequestTime } from "#base/kernel/request-time.ts";
import { printableText } from "#base/kernel/text/printable.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { RequestPace } from "#features/access/authenticate.ts";
import { type Caller, refuseSuspendedKey } from "#features/access/rules/callers.ts";
import { isLook, isMeant } from "./browser/consent.ts";
import { type Credentials, identifyCaller, readCredential } from "./credentials/credentials.ts";
import { namedTenant } from "./credentials/named-tenant.ts";
import type { Endpoint, RequestMetadata } from "./endpoint.ts";
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
  const { raw, now } = request;
  const credential = endpoint.auth === "none" ? null : readCredential(options.credentials, endpoint, raw.headers);
  if (isRefusal(credential)) return failure(credential);
  const bytes = await readBytes(raw, endpoint.bodyBytesMax ?? REQUEST_BODY_BYTES_MAX);
  if (isRefusal(bytes)) return failure(bytes);
  if (credential === null) return respond(options, endpoint, { ...request, bytes, caller: null });

  const { method } = endpoint;
  const caller = await identifyCaller(options.credentials, credential, { method, headers: raw.headers }, now);
  if (isRefusal(caller)) return failure(caller);
  const requestTenant = namedTenant(endpoint, { query: request.metadata.query, path: request.path, bytes });
  const pace = await options.credentials.rateLimit(caller, now, requestTenant);
  if (pace) onPace(pace);
  if (pace?.refusal) return failure(pace.refusal);
  const suspension = refuseSuspendedKey(caller);
  if (suspension) return failure(suspension);
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
  { ports, checkData = false }: Guards & { readonly ports: P },
  endpoint: Endpoint<P>,
  { metadata, path, now, time, bytes, caller }: CallerRequest,
): Promise<HttpResponse> {
  const parameters = queryParameters(endpoint, metadata);
  if (isRefusal(parameters)) return failure(parameters);

  const tenant =
    endpoint.tenant === "query" && caller !== null
      ? resolveTenant(caller, parameters.get("tenant"), endpoint.role)
      : null;
  if (isRefusal(tenant)) return failure(tenant);

  const page = endpoint.paged ? readPage(parameters) : null;
  if (isRefusal(page)) return failure(page);

  const query = endpoint.query ? validate(endpoint.query, Object.fromEntries(parameters), "query") : { value: {} };
  if (isRefusal(query)) return failure(query);

  const body = parseBody(endpoint, bytes);
  if (isRefusal(body)) return failure(body);

  const idempotencyKey = endpoint.idempotent ? readIdempotencyKey(metadata.headers) : null;
  if (isRefusal(idempotencyKey)) return failure(idempotencyKey);

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
  const input = { caller, author, ...parsedRequest, onReplay, setCookies, request: metadata, now, time, ports };
  const result = (await withoutWill(endpoint, metadata, input)) ?? (await endpoint.handle(input));
  const response = toHttpResponse(endpoint, result, checkData);
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

function parseBody<P>(endpoint: Endpoint<P>, bytes: Uint8Array): { value: unknown } | Refusal<"invalid_request"> {
  if (endpoint.body === undefined) return { value: undefined };
  if (endpoint.body === "bytes") return { value: bytes };
  const json = parseJson(bytes);
  return isRefusal(json) ? json : validate(endpoint.body, resolveAliases(json.value, endpoint.aliases), "body");
}

function resolveAliases(body: unknown, aliases: { readonly [alias: string]: string } = {}): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const entries = Object.entries(body).map(([name, value]) => [
    (Object.hasOwn(aliases, name) && aliases[name]) || name,
    value,
  ]);
  return { ...Object.fromEntries(entries), ...body };
}

function toHttpResponse<P>(endpoint: Endpoint<P>, result: unknown, checkData: boolean): HttpResponse {
  if (result instanceof HttpResponse) return result;
  if (isRefusal(result as Refusal | object)) return toFailure(endpoint, result as Refusal, checkData);
  if (checkData && endpoint.data) assertMatchesSchema(endpoint.data, result);
  return success(result, endpoint.acceptedWhen?.(result) ? 202 : (endpoint.status ?? 200));
}

function toFailure<P>(endpoint: Endpoint<P>, refusal: Refusal, checkData: boolean): HttpResponse {
  const schema = endpoint.errorFields?.[toHttpError(refusal.refused).status];
  if (checkData && schema) assertMatchesSchema(schema, refusal.fields);
  return failure(refusal);
}

/** `{ ok: true, data }`. Throws when `data` cannot be serialized. */
export function success(data: unknown, status = 200): HttpResponse {
  return HttpResponse.json({ ok: true, data }, { status, headers: { "content-type": JSON_TYPE } });
}

/**
 * `{ ok: false, error: { code, message, detail } }` with the refusal's status, its further fields, and `errors` for an
 * invalid request. `detail` is "" when there is none.
 */
export function failure(refusal: Refusal): HttpResponse {
  const { status, code } = toHttpError(refusal.refused);
  const { detail = "", errors, fields } = refusal;
  const error = {
    code,
    message: refusalMessage(refusal),
    detail: printableText(detail),
    ...(errors ? { errors } : {}),
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
