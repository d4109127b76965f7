import { newUlid } from "#base/kernel/ids.ts";
import { iso } from "#base/kernel/time.ts";
import { type ApiAnswer, type ApiRequest, ok, refusal } from "./answers.ts";
import { type Frame, frame } from "./frames.ts";

interface ModelUpload {
  readonly id: string;
  readonly conversation_id: string;
  readonly filename: string;
  readonly content_type: string;
  readonly size: number;
  readonly type: "image" | "video" | "audio" | "file";
  isPosted: boolean;
}

/** Uploads: a form, the post of the file to storage, and its end. An upload is ready as soon as it is finished. */
export class Uploads {
  readonly #uploads = new Map<string, ModelUpload>();
  readonly #now: () => number;
  readonly #emit: (frame: Frame) => void;
  /** The address of storage. */
  origin = "";

  constructor(now: () => number, emit: (frame: Frame) => void) {
    this.#now = now;
    this.#emit = emit;
  }

  create({ body }: ApiRequest): ApiAnswer {
    const { conversation_id, filename, content_type, size } = body as unknown as ModelUpload;
    const id = `upl_${newUlid(this.#now())}`;
    const family = content_type.split("/")[0];
    const type = family === "image" || family === "video" || family === "audio" ? family : "file";
    this.#uploads.set(id, { id, conversation_id, filename, content_type, size, type, isPosted: false });
    const upload = {
      id,
      url: `${this.origin}/storage`,
      fields: { key: id },
      method: "POST",
      expires_at: iso(this.#now() + 20 * 60_000),
      max_size: 8_388_608,
    };
    return ok({ upload }, 201);
  }

  /** Takes the form of a file. @param form as text */
  post(form: string): void {
    for (const upload of this.#uploads.values()) if (form.includes(upload.id)) upload.isPosted = true;
  }

  finish({ body }: ApiRequest): ApiAnswer {
    const upload = this.#uploads.get(String(body.upload_id));
    if (!upload?.isPosted) return refusal(404, "upload_not_found");
    const { isPosted: _, ...fields } = upload;
    this.#emit(frame("upload.updated", { upload: this.#ready(fields) }, this.#now()));
    return ok({ upload: { ...fields, status: "processing" } }, 202);
  }

  get(id: string): ApiAnswer {
    const upload = this.#uploads.get(id);
    if (!upload) return refusal(404, "upload_not_found");
    const { isPosted, ...fields } = upload;
    return ok({ upload: isPosted ? this.#ready(fields) : { ...fields, status: "waiting" } });
  }

  #ready(fields: Omit<ModelUpload, "isPosted">) {
    return { ...fields, status: "ready", attachment: { id: `att_${fields.id}`, type: fields.type } };
  }
}
