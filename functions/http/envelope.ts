import { type Refusal, toHttpError } from "../../shared/kernel/refusals.ts";

const JSON_TYPE = "application/json; charset=utf-8";

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
