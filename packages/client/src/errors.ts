import type { components } from "./api-types.ts";
import { printableLine, printableText } from "./printable.ts";

/** The codes of the API. New codes may be added. */
export type ApiErrorCode = components["schemas"]["ErrorCode"];

/**
 * The codes of the client itself.
 * - `connection_failed`: there was no complete response. A write may have been done.
 * - `timeout`: the time ended. A write may have been done.
 * - `aborted`: the signal of the caller was aborted. `cause` is its reason. A write may have been done.
 * - `unexpected_response`: the response is not one of Parley's, such as the page of a proxy or a redirect.
 * - `invalid_argument`: nothing was sent.
 * - `upload_refused`: storage refused the file.
 * - `signature_invalid`: a webhook is not signed with the secret, or too old.
 */
export type ClientErrorCode =
  | "connection_failed"
  | "timeout"
  | "aborted"
  | "unexpected_response"
  | "invalid_argument"
  | "upload_refused"
  | "signature_invalid";

/** A field of a request that is not valid. `field` is a path such as `attachments[0].url`. */
export interface FieldError {
  readonly field: string;
  readonly problem: string;
}

export interface ErrorFields {
  readonly code: string;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly status?: number | undefined;
  readonly correlationId?: string | null | undefined;
  readonly retryAfter?: number | null | undefined;
  readonly errors?: readonly FieldError[] | undefined;
  readonly docsUrl?: string | null | undefined;
  readonly cause?: unknown;
}

/** The only error that the client throws. Branch on `code`, never on `message`. */
export class ParleyError extends Error {
  /** What went wrong. Every 429 is `rate_limited`. */
  readonly code: ApiErrorCode | ClientErrorCode | (string & {});
  /** The status of the response. Null without a response. */
  readonly status: number | null;
  /** More about the reason, such as the platform's own text. Empty without. */
  readonly detail: string;
  /** Names the request in the logs of the deployment. Null without a response of Parley. */
  readonly correlationId: string | null;
  /** Seconds until a retry is welcome. Null when the response does not say. */
  readonly retryAfter: number | null;
  /** The fields that are not valid, of an `invalid_request`. */
  readonly errors: readonly FieldError[];
  /** The documentation of the code, as an https or http URL of the deployment. Null when the response does not name one. */
  readonly docsUrl: string | null;

  constructor({ code, message, detail, status, correlationId, retryAfter, errors, docsUrl, cause }: ErrorFields) {
    super(printableLine(message), cause === undefined ? undefined : { cause });
    this.name = "ParleyError";
    this.code = code;
    this.status = status ?? null;
    this.detail = printableText(detail ?? "");
    this.correlationId = correlationId ?? null;
    this.retryAfter = retryAfter ?? null;
    this.errors = errors ?? [];
    this.docsUrl = docsUrl ?? null;
  }
}
