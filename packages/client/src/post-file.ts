import { ParleyError } from "./errors.ts";
import type { CallOptions, HttpClient } from "./http-client.ts";

/** Bytes of the request that posts a file. */
export interface Progress {
  readonly loaded: number;
  readonly total: number;
}

export interface PostedFile {
  readonly grant: { readonly url: string; readonly fields: Readonly<Record<string, string>> };
  readonly file: Blob;
  readonly filename: string;
}

type ProgressListener = (progress: Progress) => void;

const CHUNK_BYTES = 64 * 1024;
const TEXT_CHARS_MAX = 200;

/** Posts a file to storage with the form of its upload, once. Throws a ParleyError `upload_refused` when it is refused. */
export async function postFile(
  http: HttpClient,
  { grant, file, filename }: PostedFile,
  options: CallOptions & { readonly onProgress?: ProgressListener | undefined },
): Promise<void> {
  const form = new FormData();
  for (const [name, value] of Object.entries(grant.fields)) form.append(name, value);
  form.append("file", file, filename);
  const { onProgress, signal, timeoutMs = 0 } = options;
  const { status, text } = await http.withTimeout({ timeoutMs, signal }, (attemptSignal) => {
    if (onProgress === undefined) return fetchPost(http, grant.url, { body: form, signal: attemptSignal });
    if (scope.XMLHttpRequest !== undefined) return xhrPost(grant.url, form, attemptSignal, onProgress);
    return streamPost(http, grant.url, form, { signal: attemptSignal, onProgress });
  });
  if (status >= 200 && status < 300) return;
  throw new ParleyError({
    code: "upload_refused",
    message: `Storage refused the file with status ${status}.`,
    status,
    detail: /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? text.slice(0, TEXT_CHARS_MAX),
  });
}

interface StorageResponse {
  readonly status: number;
  readonly text: string;
}

async function fetchPost(http: HttpClient, url: string, init: RequestInit): Promise<StorageResponse> {
  // Storage needs the form alone: no cookie and no key.
  const response = await http.fetch(url, { method: "POST", credentials: "omit", redirect: "manual", ...init });
  return { status: response.status, text: await response.text() };
}

/** Outside a browser: counts the bytes that are read from the body. */
async function streamPost(
  http: HttpClient,
  url: string,
  form: FormData,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: ProgressListener },
): Promise<StorageResponse> {
  const encoded = new Response(form);
  const type = encoded.headers.get("content-type") ?? "";
  const blob = await encoded.blob();
  const total = blob.size;
  let loaded = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = await blob.slice(loaded, loaded + CHUNK_BYTES).arrayBuffer();
      loaded += chunk.byteLength;
      controller.enqueue(new Uint8Array(chunk));
      onProgress({ loaded, total });
      if (loaded >= total) controller.close();
    },
  });
  // Storage takes no body of unknown length.
  const headers = { "content-type": type, "content-length": String(total) };
  return fetchPost(http, url, { body, headers, signal, duplex: "half" } as RequestInit);
}

/** In a browser: only an XMLHttpRequest reports what was sent. */
function xhrPost(
  url: string,
  form: FormData,
  signal: AbortSignal,
  onProgress: ProgressListener,
): Promise<StorageResponse> {
  return new Promise((resolve, reject) => {
    const request = new (scope.XMLHttpRequest as NonNullable<typeof scope.XMLHttpRequest>)();
    request.upload.onprogress = ({ loaded, total }) => onProgress({ loaded, total });
    request.onload = () => resolve({ status: request.status, text: request.responseText });
    request.onerror = () => reject(new Error("The request failed."));
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", url);
    request.send(form);
  });
}

/** What only a browser has. */
const scope = globalThis as unknown as { readonly XMLHttpRequest?: new () => BrowserRequest };

interface BrowserRequest {
  readonly upload: { onprogress: ProgressListener };
  readonly status: number;
  readonly responseText: string;
  onload: () => void;
  onerror: () => void;
  open(method: string, url: string): void;
  send(body: FormData): void;
  abort(): void;
}
