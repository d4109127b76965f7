import type { HttpResponse } from "../http/http-server.ts";
import type { Upload } from "../world/model.ts";

/** The files that are shown as they are. No page is among them: it could call the simulator from its own origin. */
const extensions: Record<string, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "audio/mp4": "m4a",
  "audio/wav": "wav",
  "application/pdf": "pdf",
};

/** The extension of a file's name, by its type; `bin` for a type that is only downloaded. */
export function fileExtension(mime: string): string {
  return Object.hasOwn(extensions, mime) ? (extensions[mime] ?? "bin") : "bin";
}

const bytesMax = 64 * 1_048_576;

interface UploadedFile {
  mime: string;
  bytes: Buffer;
}

/** The newest uploaded files, in memory: what an account sent is shown as the platforms show it. */
export class UploadedFiles {
  readonly #files = new Map<string, UploadedFile>();
  #bytes = 0;

  add({ id }: Pick<Upload, "id">, { mime, bytes }: UploadedFile): void {
    this.#files.set(`/media/${id}.${fileExtension(mime)}`, { mime, bytes });
    this.#bytes += bytes.length;
    for (const [path, file] of this.#files) {
      if (this.#bytes <= bytesMax) return;
      this.#files.delete(path);
      this.#bytes -= file.bytes.length;
    }
  }

  /** The file at that path; null if there is none. */
  serve(path: string): HttpResponse | null {
    const file = this.#files.get(path);
    if (file === undefined) return null;
    const isShown = Object.hasOwn(extensions, file.mime);
    return {
      status: 200,
      headers: {
        "Content-Type": isShown ? file.mime : "application/octet-stream",
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Cache-Control": "max-age=86400",
        ...(isShown ? {} : { "Content-Disposition": "attachment" }),
      },
      body: file.bytes,
    };
  }
}
