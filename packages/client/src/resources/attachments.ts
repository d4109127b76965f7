import { ParleyError } from "../errors.ts";
import type { CallOptions, HttpClient } from "../http-client.ts";
import type { Body, Data } from "../operations.ts";
import { type Progress, postFile } from "../post-file.ts";
import type { RealtimeConnection } from "../realtime/connection.ts";
import { type ReadyUpload, UploadWait } from "../upload-wait.ts";

type CreateBody = Body<"POST /v1/attachments/uploads">;

export interface FileUpload {
  readonly conversation_id: string;
  readonly file: Blob | Uint8Array<ArrayBuffer>;
  /** Default: the name of a `File`. */
  readonly filename?: string | undefined;
  /** Default: the type of a `Blob`. */
  readonly content_type?: string | undefined;
  readonly type?: CreateBody["type"] | undefined;
}

export interface UploadWaitOptions extends CallOptions {
  /** Milliseconds for the whole upload. Default: 600,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * A stream of the upload's tenant, whose frame `upload.updated` ends the wait. While it is open, the client polls every 30
   * seconds, because a frame may be lost, and else as without it.
   */
  readonly realtime?: RealtimeConnection | undefined;
}

export interface UploadOptions extends UploadWaitOptions {
  /** Is called while the file is posted. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

const UPLOAD_TIMEOUT_MS = 600_000;

export function attachmentCalls(http: HttpClient) {
  const remaining = (options: UploadOptions): (() => CallOptions) => {
    const deadline = http.clock.now() + (options.timeoutMs ?? UPLOAD_TIMEOUT_MS);
    const { onProgress: _, realtime: __, ...limits } = options;
    return () => ({ ...limits, timeoutMs: deadline - http.clock.now() });
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
    waitForUpload(upload_id: string, options: UploadWaitOptions = {}): Promise<ReadyUpload> {
      const wait = new UploadWait(http, upload_id, options.realtime);
      return namedByTimeout(
        upload_id,
        wait.untilReady(remaining(options)).finally(() => wait.stop()),
      );
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
        // Before the upload is finished: its frame may come before the response.
        const wait = new UploadWait(http, grant.id, options.realtime);
        try {
          wait.cover();
          await http.request("POST /v1/attachments", { body: { upload_id: grant.id }, ...limits() });
          return await wait.untilReady(limits);
        } finally {
          wait.stop();
        }
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
