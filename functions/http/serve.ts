import type { Caller } from "../../shared/domain/access/api-keys.ts";
import { REQUEST_BODY_BYTES_MAX } from "../../shared/domain/limits.ts";
import { isRefusal, type Refusal, toHttpError } from "../../shared/kernel/refusals.ts";
import type { RequestTime } from "../../shared/kernel/request-time.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import type { Endpoint, RequestMetadata } from "./endpoint.ts";
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

/** Resolves the raw Authorization header (undefined when absent) to the caller. */
export type Authenticate = (header: string | undefined, now: Millis) => Promise<Caller | Refusal<"unauthorized">>;
/** Counts one request of the key, or refuses it with `retryAfter`. */
export type RateLimit = (caller: Caller, now: Millis) => Promise<Refusal<"too_many_requests"> | null>;

/** The checks that every request passes before its route. */
export interface Guards {
  readonly authenticate: Authenticate;
  readonly rateLimit: RateLimit;
  /** Compares each response with its declared schema; a mismatch is a 500. For tests. */
  readonly checkData?: boolean;
}

/** A request as the app received it. */
export interface IncomingRequest {
  readonly raw: Request;
  readonly metadata: RequestMetadata;
  /** The parameters of the path. */
  readonly path: Record<string, string>;
  readonly now: Millis;
  readonly time: RequestTime;
}

/** Serves one request: size, key, rate limit, tenant, parameters, body, handler. Throws only on a fault. */
export async function serve<P>(
  { ports, ...guards }: Guards & { readonly ports: P },
  endpoint: Endpoint<P>,
  { raw, metadata, path, now, time }: IncomingRequest,
): Promise<Response> {
  const bytes = await readBytes(raw, endpoint.bodyBytesMax ?? REQUEST_BODY_BYTES_MAX);
  if (isRefusal(bytes)) return failure(bytes);

  const caller = await authorize(guards, endpoint, { raw, now });
  if (isRefusal(caller)) return failure(caller);

  const parameters = readParameters(metadata.query);
  if (isRefusal(parameters)) return failure(parameters);

  const tenant =
    endpoint.tenant === "query" && caller !== null ? resolveTenant(caller, parameters.get("tenant")) : null;
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
  const input = { caller, ...parsedRequest, request: metadata, now, time, ports };
  return toHttpResponse(endpoint, await endpoint.handle(input), guards.checkData ?? false);
}

async function authorize<P>(
  guards: Guards,
  endpoint: Endpoint<P>,
  { raw, now }: Pick<IncomingRequest, "raw" | "now">,
): Promise<Caller | null | Refusal<"unauthorized" | "too_many_requests">> {
  if (endpoint.auth === "none") return null;
  const caller = await guards.authenticate(raw.headers.get("authorization") ?? undefined, now);
  if (isRefusal(caller)) return caller;
  return (await guards.rateLimit(caller, now)) ?? caller;
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

function toHttpResponse<P>(endpoint: Endpoint<P>, result: unknown, checkData: boolean): Response {
  if (result instanceof Response) return result;
  if (isRefusal(result as Refusal | object)) return failure(result as Refusal);
  if (checkData && endpoint.data) assertMatchesSchema(endpoint.data, result);
  return success(result, endpoint.acceptedWhen?.(result) ? 202 : (endpoint.status ?? 200));
}

/** `{ ok: true, data }`. Throws when `data` cannot be serialized. */
export function success(data: unknown, status = 200): Response {
  return new Response(JSON.stringify({ ok: true, data }), { status, headers: { "content-type": JSON_TYPE } });
}

/** `{ ok: false, error: { code, message, detail } }` with the refusal's status. `detail` is "" when there is none. */
export function failure(refusal: Refusal): Response {
  const { status, code, message } = toHttpError(refusal.refused);
  const headers = new Headers({ "content-type": JSON_TYPE });
  if (refusal.retryAfter !== undefined) headers.set("retry-after", String(refusal.retryAfter));
  const error = { code, message, detail: refusal.detail ?? "" };
  return new Response(JSON.stringify({ ok: false, error }), { status, headers });
}

/** Adds the headers of every response. Returns a copy, because the headers of a redirect are immutable. */
export function withCommonHeaders(response: Response, correlationId: string): Response {
  const copy = new Response(response.body, response);
  copy.headers.set("x-correlation-id", correlationId);
  if (!copy.headers.has("cache-control")) copy.headers.set("cache-control", "no-store");
  return copy;
}
