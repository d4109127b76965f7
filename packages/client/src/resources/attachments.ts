import type { components } from "../api-types.ts";
import { sleep } from "../clock.ts";
import { ParleyError } from "../errors.ts";
import type { CallOptions, HttpClient } from "../http-client.ts";
import type { Body, Data } from "../operations.ts";
import { type Progress, postFile } from "../post-file.ts";

type CreateBody = Body<"POST /v1/attachments/uploads">;

/** An upload as `GET /v1/attachments/uploads/{upload_id}` shows it. */
export type Upload = components["schemas"]["Upload"];
/** An upload that can be sent: `attachment.id` is the `attachment_id` of a message. */
export type ReadyUpload = Upload & { readonly attachment: NonNullable<Upload["attachment"]> };

export interface FileUpload {
  readonly conversation_id: string;
  readonly file: Blob | Uint8Array<ArrayBuffer>;
  /** Default: the name of a `File`. */
  readonly filename?: string | undefined;
  /** Default: the type of a `Blob`. */
  readonly content_type?: string | undefined;
  readonly type?: CreateBody["type"] | undefined;
}

export interface UploadOptions extends CallOptions {
  /** Milliseconds for the whole upload. Default: 600,000. */
  readonly timeoutMs?: number | undefined;
  /** Is called while the file is posted. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

const UPLOAD_TIMEOUT_MS = 600_000;
const FIRST_POLL_MS = 1_000;
const POLL_MAX_MS = 5_000;

export function attachmentCalls(http: HttpClient) {
  const remaining = (options: UploadOptions): (() => CallOptions) => {
    const deadline = http.clock.now() + (options.timeoutMs ?? UPLOAD_TIMEOUT_MS);
    const { onProgress: _, ...limits } = options;
    return () => ({ ...limits, timeoutMs: deadline - http.clock.now() });
  };

  const waitUntilReady = async (upload_id: string, limits: () => CallOptions): Promise<ReadyUpload> => {
    for (let delayMs = FIRST_POLL_MS; ; delayMs = Math.min(delayMs * 1.5, POLL_MAX_MS)) {
      const { timeoutMs = 0, signal } = limits();
      const waitMs = delayMs * (0.75 + http.random() / 4);
      if (waitMs >= timeoutMs) {
        throw new ParleyError({ code: "timeout", message: "The upload is not ready in time." });
      }
      await sleep(http.clock, waitMs, signal);
      const { upload } = await http.request("GET /v1/attachments/uploads/{upload_id}", {
        path: { upload_id },
        ...limits(),
      });
      if (upload.status === "ready" && upload.attachment) return { ...upload, attachment: upload.attachment };
      if (upload.status === "failed") throw failedUpload(upload);
    }
  };

  return {
    /** Describes a file and returns a form for it. `upload` does this and all that follows. */
    createUpload(body: CreateBody, options: CallOptions = {}): Promise<Data<"POST /v1/attachments/uploads">> {
      return http.request("POST /v1/attachments/uploads", { body, ...options });
    },
    /** Finishes an upload whose file is posted. */
    finishUpload(upload_id: string, options: CallOptions = {}): Promise<Data<"POST /v1/attachments">> {
      return http.request("POST /v1/attachments", { body: { upload_id }, ...options });
    },
    getUpload(upload_id: string, options: CallOptions = {}): Promise<Data<"GET /v1/attachments/uploads/{upload_id}">> {
      return http.request("GET /v1/attachments/uploads/{upload_id}", { path: { upload_id }, ...options });
    },
    /** Waits until a finished upload is `ready`. Throws the error of a `failed` one. A time-out names it in `detail`. */
    waitForUpload(upload_id: string, options: CallOptions = {}): Promise<ReadyUpload> {
      return namedByTimeout(upload_id, waitUntilReady(upload_id, remaining(options)));
    },
    /**
     * Uploads a file: creates the upload, posts the file, finishes the upload and waits until it is `ready`. No step
     * that writes is retried. Throws the error of a `failed` upload. A time-out names the created upload in `detail`.
     */
    async upload(file: FileUpload, options: UploadOptions = {}): Promise<ReadyUpload> {
      const limits = remaining(options);
      const { conversation_id, type } = file;
      const blob = file.file instanceof Blob ? file.file : new Blob([file.file]);
      const filename = file.filename ?? (blob as Partial<File>).name ?? "file";
      const content_type = file.content_type ?? (blob.type || "application/octet-stream");
      const body = {
        conversation_id,
        filename,
        content_type,
        size: blob.size,
        ...(type === undefined ? {} : { type }),
      };
      const { upload: grant } = await http.request("POST /v1/attachments/uploads", { body, ...limits() });
      const finishAndWait = async () => {
        await postFile(http, { grant, file: blob, filename }, { ...limits(), onProgress: options.onProgress });
        await http.request("POST /v1/attachments", { body: { upload_id: grant.id }, ...limits() });
        return waitUntilReady(grant.id, limits);
      };
      return namedByTimeout(grant.id, finishAndWait());
    },
  };
}

/** Adds the upload to a time-out of its steps, so that the caller can go on with it. */
async function namedByTimeout<T>(upload_id: string, steps: Promise<T>): Promise<T> {
  try {
    return await steps;
  } catch (error) {
    if (!(error instanceof ParleyError) || error.code !== "timeout" || error.status !== null) throw error;
    throw new ParleyError({ code: "timeout", message: error.message, detail: upload_id });
  }
}

function failedUpload({ error, id }: Upload): ParleyError {
  const { code = "internal_error", message = `Upload ${id} failed.`, detail } = error ?? {};
  return new ParleyError({ code, message, detail: detail ?? "" });
}
