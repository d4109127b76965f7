import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Caller, refuseTenant } from "#features/access/rules/callers.ts";
import type { UploadPorts } from "../ports.ts";
import { isUploadReadable, parseUploadId, type UploadState, uploadError, uploadStateAt } from "../rules/uploads.ts";
import type { StoredUpload } from "../store/upload-items.ts";

/** An upload with its current state. */
export interface UploadView {
  readonly upload: StoredUpload;
  readonly state: UploadState;
}

/**
 * Gets an upload of a tenant that the caller may act for, until a day after it was created. An end by time is stored
 * before it is returned: a process that was frozen could store another one.
 */
export async function getUpload(
  ports: { readonly uploads: Pick<UploadPorts["uploads"], "get" | "lapse"> },
  caller: Caller,
  uploadId: string,
  now: Millis,
): Promise<UploadView | Refusal<"upload_not_found" | "tenant_suspended">> {
  const id = parseUploadId(uploadId);
  const upload = id !== null && isUploadReadable(id, now) ? await ports.uploads.get(id) : null;
  if (!upload) return refuse("upload_not_found");
  const refusal = refuseTenant(caller, upload.tenant, "upload_not_found");
  if (refusal) return refusal;
  if (uploadStateAt(upload, now).status === upload.state.status) return { upload, state: upload.state };
  const ended = await ports.uploads.lapse(upload.id, uploadError("internal_error"), now);
  return ended ? { upload: ended, state: ended.state } : refuse("upload_not_found");
}
