import type { components } from "./api-types.ts";
import { sleep } from "./clock.ts";
import { ParleyError } from "./errors.ts";
import type { CallOptions, HttpClient } from "./http-client.ts";
import type { RealtimeConnection } from "./realtime/connection.ts";
import type { StreamEvent } from "./realtime/frames.ts";

/** An upload as `GET /v1/attachments/uploads/{upload_id}` shows it. */
export type Upload = components["schemas"]["Upload"];
/** An upload that can be sent: `attachment.id` is the `attachment_id` of a message. */
export type ReadyUpload = Upload & { readonly attachment: NonNullable<Upload["attachment"]> };

const FIRST_POLL_MS = 1_000;
const POLL_MAX_MS = 5_000;
/** Between polls while a frame of the stream is to report the upload. A frame may be lost. */
const COVERED_POLL_MS = 30_000;

/** The wait for the end of one upload: by polls, and by the frames of a stream from the creation of this object until `stop`. */
export class UploadWait {
  readonly #http: HttpClient;
  readonly #uploadId: string;
  readonly #stream: RealtimeConnection | undefined;
  readonly #reported: Promise<Upload>;
  /** Whether the upload was read, and the stream has been open since: its end comes as a frame. */
  #isCovered = false;
  #endWait: () => void = () => {};
  #stopListening: () => void = () => {};

  constructor(http: HttpClient, uploadId: string, stream: RealtimeConnection | undefined) {
    this.#http = http;
    this.#uploadId = uploadId;
    this.#stream = stream;
    this.#reported = new Promise((resolve) => {
      if (stream === undefined) return;
      this.#stopListening = stream.listen((event) => {
        const upload = event === null ? null : uploadOf(event);
        if (event === null) this.#uncover();
        else if (upload?.id === uploadId && hasEnded(upload)) resolve(upload);
      });
    });
  }

  stop(): void {
    this.#stopListening();
  }

  /** The upload has not ended before now. What follows comes as a frame if the stream is open. */
  cover(): void {
    this.#isCovered = this.#stream?.isOpen ?? false;
  }

  /** Waits until the upload is `ready`. Throws the error of a `failed` one, and what a poll throws. */
  async untilReady(limits: () => CallOptions): Promise<ReadyUpload> {
    const { signal } = limits();
    const controller = new AbortController();
    const onAbort = () => controller.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const polled = this.#poll(() => ({ ...limits(), signal: controller.signal }));
      const upload = await Promise.race([this.#reported, polled]);
      if (upload.status === "failed") throw failedUpload(upload);
      return upload as ReadyUpload;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      // Ends the polls after a frame.
      controller.abort();
    }
  }

  /** Polls until the upload has ended. */
  async #poll(limits: () => CallOptions): Promise<Upload> {
    const { clock } = this.#http;
    for (let delayMs = FIRST_POLL_MS; ; ) {
      const { timeoutMs = 0, signal } = limits();
      const isCovered = this.#isCovered;
      // At half of the time that remains at the latest, so that a lost frame is noticed before its end.
      const coveredMs = Math.max(delayMs, Math.min(COVERED_POLL_MS, timeoutMs / 2));
      const waitMs = (isCovered ? coveredMs : delayMs) * (0.75 + this.#http.random() / 4);
      if (waitMs >= timeoutMs) {
        throw new ParleyError({ code: "timeout", message: "The upload is not ready in time." });
      }
      await sleep(clock, waitMs, signal, (wake) => {
        this.#endWait = wake;
      });
      // A gap in the frames ended the wait.
      if (isCovered && !this.#isCovered) continue;
      this.cover();
      const path = { upload_id: this.#uploadId };
      const { upload } = await this.#http.request("GET /v1/attachments/uploads/{upload_id}", { path, ...limits() });
      if (hasEnded(upload)) return upload;
      if (!isCovered) delayMs = Math.min(delayMs * 1.5, POLL_MAX_MS);
    }
  }

  /** Frames may be missing: at a hello, and after the connection was lost. */
  #uncover(): void {
    // Other waits are short, and a connection that is lost in a loop must not restart them.
    if (this.#isCovered) this.#endWait();
    this.#isCovered = false;
  }
}

/** The upload of a frame. A frame has what the service says, so its fields may be absent. */
function uploadOf(event: StreamEvent): Upload | undefined {
  return event.type === "upload.updated" ? event.data?.upload : undefined;
}

function hasEnded({ status, attachment }: Upload): boolean {
  return status === "failed" || (status === "ready" && Boolean(attachment));
}

function failedUpload({ error, id }: Upload): ParleyError {
  const { code = "internal_error", message = `Upload ${id} failed.`, detail } = error ?? {};
  return new ParleyError({ code, message, detail: detail ?? "" });
}
