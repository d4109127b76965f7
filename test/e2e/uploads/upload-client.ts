import type { ApiResponse, ListedUpload } from "../support/api-response.ts";
import type { LocalStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";

/** A file and what a client says about it. */
export interface ClientFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly type?: string;
  /** Default: the size of the file. */
  readonly size?: number;
}

export function createUpload(
  stack: LocalStack,
  conversation: string,
  file: ClientFile,
  key?: string,
): Promise<ApiResponse> {
  return stack.api(
    "POST",
    "/v1/attachments/uploads",
    {
      conversation_id: conversation,
      filename: file.filename,
      content_type: file.contentType,
      size: file.size ?? file.bytes.length,
      ...(file.type === undefined ? {} : { type: file.type }),
    },
    key,
  );
}

/** Posts a file as a form does. @returns the status of storage and its answer */
export async function postFile(
  { url, fields }: ListedUpload,
  bytes: Buffer,
): Promise<{ status: number; text: string }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new Blob([new Uint8Array(bytes)]), "file");
  const response = await fetch(url, { method: "POST", body: form });
  return { status: response.status, text: await response.text() };
}

export function finishUpload(stack: LocalStack, id: string, key?: string): Promise<ApiResponse> {
  return stack.api("POST", "/v1/attachments", { upload_id: id }, key);
}

export async function readUpload(stack: LocalStack, id: string, key?: string): Promise<ListedUpload> {
  const { status, text, body } = await stack.api("GET", `/v1/attachments/uploads/${id}`, undefined, key);
  if (status !== 200) throw new Error(`GET upload: ${status} ${text}`);
  return body.data.upload;
}

/** Polls an upload until it is `ready` or `failed`. */
export function waitForEnd(stack: LocalStack, id: string, key?: string): Promise<ListedUpload> {
  return waitFor(`the upload ${id} ends`, async () => {
    const upload = await readUpload(stack, id, key);
    return ["ready", "failed"].includes(upload.status) && upload;
  });
}

/** Creates, posts and finishes an upload, and waits for its end. Throws unless each step is accepted. */
export async function upload(
  stack: LocalStack,
  conversation: string,
  file: ClientFile,
  key?: string,
): Promise<ListedUpload> {
  const created = await createUpload(stack, conversation, file, key);
  if (created.status !== 201) throw new Error(`create ${file.contentType}: ${created.status} ${created.text}`);
  const grant = created.body.data.upload;
  const posted = await postFile(grant, file.bytes);
  if (posted.status !== 204) throw new Error(`post ${file.contentType}: ${posted.status} ${posted.text}`);
  const finished = await finishUpload(stack, grant.id, key);
  if (finished.status !== 202) throw new Error(`finish ${file.contentType}: ${finished.status} ${finished.text}`);
  return waitForEnd(stack, grant.id, key);
}
