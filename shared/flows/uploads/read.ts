import { type Caller, refuseTenant } from "../../domain/access/callers.ts";
import { isUploadReadable, parseUploadId, type UploadState, uploadStateAt } from "../../domain/uploads/uploads.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { StoredUpload } from "../../stores/uploads/upload-items.ts";
import type { UploadPorts } from "./ports.ts";

/** An upload with its current state. */
export interface UploadView {
  readonly upload: StoredUpload;
  readonly state: UploadState;
}

/** Gets an upload of a tenant that the caller may act for, until a day after it was created. */
export async function getUpload(
  ports: { readonly uploads: Pick<UploadPorts["uploads"], "get"> },
  caller: Caller,
  uploadId: string,
  now: Millis,
): Promise<UploadView | Refusal<"upload_not_found" | "tenant_suspended">> {
  const id = parseUploadId(uploadId);
  const upload = id !== null && isUploadReadable(id, now) ? await ports.uploads.get(id) : null;
  if (!upload) return refuse("upload_not_found");
  return refuseTenant(caller, upload.tenant, "upload_not_found") ?? { upload, state: uploadStateAt(upload, now) };
}
