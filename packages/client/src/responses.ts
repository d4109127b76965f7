import { type FieldError, ParleyError } from "./errors.ts";
import { printableLine } from "./printable.ts";
import { parseRetryAfter } from "./retries.ts";

const TEXT_CHARS_MAX = 200;

export interface ReceivedResponse {
  /** 0 for a redirect in a browser. */
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** `data` of a response. Throws a ParleyError when it is a failure or not a response of Parley. */
export function readEnvelope(response: ReceivedResponse, now: number): unknown {
  const { status, headers, text } = response;
  const { ok, data, error } = fields(parseJson(text));
  if (ok === true && status >= 200 && status < 300) return data;
  const { code, message, detail, errors, docs_url: docsUrl } = fields(error);
  const fromResponse = {
    status,
    correlationId: headers.get("x-correlation-id"),
    retryAfter: parseRetryAfter(headers.get("retry-after"), now),
  };
  if (ok === false && typeof code === "string") {
    throw new ParleyError({
      ...fromResponse,
      code: status === 429 ? "rate_limited" : code,
      message: typeof message === "string" ? message : code,
      detail: typeof detail === "string" ? detail : "",
      errors: Array.isArray(errors) ? (errors as FieldError[]) : [],
      docsUrl: isWebAddress(docsUrl) ? printableLine(docsUrl) : null,
    });
  }
  const detail429 = { code: "rate_limited", message: "Too many requests." };
  const unexpected = {
    code: "unexpected_response",
    message: `Unexpected response with status ${status}. Check baseUrl and what is between this client and Parley.`,
    detail: headers.get("location") ?? text.slice(0, TEXT_CHARS_MAX),
  };
  throw new ParleyError({ ...fromResponse, ...(status === 429 ? detail429 : unexpected) });
}

/** A program may open or print the address: it is no other scheme, such as `javascript:`. */
function isWebAddress(value: unknown): value is string {
  return typeof value === "string" && /^https?:\/\//.test(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
