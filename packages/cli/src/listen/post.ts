import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { type Failure, failureReason } from "./failure.ts";

/** The attempt timeout of a deployment. */
export const ATTEMPT_TIMEOUT_MS = 15_000;

/** Where events are forwarded to. */
export interface Receiver {
  readonly url: URL;
  /** Certificates in PEM that the receiver may have besides those that Node.js trusts. */
  readonly ca: readonly string[] | undefined;
}

export interface PostOptions {
  readonly receiver: Receiver;
  /** In milliseconds, from the request to the receiver's status. */
  readonly timeout: number;
  readonly closing: AbortSignal;
}

export interface PostResult {
  /** The receiver's, or 502. */
  readonly status: number;
  /** Why `status` is not the receiver's. */
  readonly failure: Failure | null;
  /** A sentence about an unreachable receiver, with the fix. */
  readonly reason?: string | undefined;
  readonly retryAfter?: string | undefined;
}

/** Posts once and waits only for the status. Redirects are not followed. Never rejects. */
export function post(
  { receiver, timeout, closing }: PostOptions,
  headers: Record<string, string>,
  body: Buffer,
): Promise<PostResult> {
  const { url, ca } = receiver;
  const deadline = AbortSignal.timeout(timeout);
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const signal = AbortSignal.any([deadline, closing]);
    // No connection reuse: a pooled connection that the receiver has closed would look like an unreachable receiver.
    const options = { method: "POST", agent: false as const, headers, signal, ...(ca ? { ca: [...ca] } : {}) };
    const clientRequest = send(url, options, (clientResponse) => {
      const { statusCode: status = 502, headers: responseHeaders } = clientResponse;
      resolve({ status, failure: null, retryAfter: responseHeaders["retry-after"] });
      clientResponse.on("error", () => {}).destroy();
    });
    clientRequest.on("error", async (error: NodeJS.ErrnoException) => {
      if (closing.aborted) resolve({ status: 502, failure: "aborted" });
      else if (deadline.aborted) resolve({ status: 502, failure: "timeout" });
      else resolve({ status: 502, failure: "unreachable", reason: await failureReason(error, url) });
    });
    clientRequest.end(body);
  });
}
