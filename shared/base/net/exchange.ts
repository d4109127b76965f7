import type { Dispatcher } from "undici";
import { captureCallScope } from "../kernel/call-scope.ts";
import { OutOfTime } from "../kernel/deadline.ts";
import { RESPONSE_BYTES_MAX, RESPONSE_TEXT_BYTES_MAX } from "../kernel/limits.ts";
import { AttemptFailure } from "./attempt-failure.ts";

/** A receiver's response. */
interface ResponseHead {
  readonly status: number;
  /** The header value, unparsed. */
  readonly retryAfter: string | string[] | undefined;
  /** The first 256 bytes of its body. */
  readonly beginning: Uint8Array;
}

/**
 * One request and its response, whose body is counted and dropped after its first bytes. It uses undici's callbacks, because `request` would
 * build a stream for a body that is not read. A 2xx counts when its whole body has arrived; any other status counts
 * regardless of its body.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #mayCall = captureCallScope();
  #status: number | null = null;
  #retryAfter: ResponseHead["retryAfter"];
  #bytes = 0;
  #beginning = Buffer.alloc(0);
  #settled = false;
  #controller: Dispatcher.DispatchController | null = null;
  #resolve: (answer: ResponseHead) => void = () => {};
  #reject: (error: Error) => void = () => {};

  /** @throws AttemptFailure, OutOfTime when the call may no longer begin, or undici's error when there was no response */
  send(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): Promise<ResponseHead> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      dispatcher.dispatch(request, this);
    });
  }

  /** Settles at once and closes the connection. A request that still waits for a connection is never sent. */
  abort(failure: AttemptFailure): void {
    this.#fail(failure);
    this.#controller?.abort(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The wait for a connection took too long.
    if (this.#settled) controller.abort(new AttemptFailure({ error: "timeout" }));
    // Nothing was written yet.
    else if (!this.#mayCall())
      controller.abort(new OutOfTime("The invocation has answered, so the call does not begin."));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // An interim response: the final one follows.
    if (status < 200) return;
    this.#status = status;
    this.#retryAfter = headers["retry-after"];
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const missing = RESPONSE_TEXT_BYTES_MAX - this.#bytes;
    // A copy: a part of a chunk would hold the whole chunk in memory.
    if (missing > 0) this.#beginning = Buffer.concat([this.#beginning, chunk.subarray(0, missing)]);
    this.#bytes += chunk.byteLength;
    if (this.#bytes > RESPONSE_BYTES_MAX) this.abort(new AttemptFailure({ error: "too_large" }));
  }

  onResponseEnd(): void {
    if (this.#status !== null) this.#complete(this.#status);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const isLimit = error instanceof AttemptFailure;
    this.#fail(this.#status === null || isLimit ? error : new AttemptFailure({ error: "connect" }));
  }

  #fail(error: Error): void {
    if (this.#status !== null && !isSuccess(this.#status)) {
      this.#complete(this.#status);
      return;
    }
    this.#settled = true;
    this.#reject(error);
  }

  #complete(status: number): void {
    this.#settled = true;
    this.#resolve({ status, retryAfter: this.#retryAfter, beginning: this.#beginning });
  }
}

const isSuccess = (status: number) => status >= 200 && status <= 299;
