import * as z from "zod/mini";
import { isUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Traced, traceField } from "#base/kernel/trace.ts";
import { decodeBody, encodeBody, tenant, traceId, version } from "#base/queues/envelope.ts";

/** A checked upload to hand over to its platform. It names a row of the table: a queue has nothing of a file. */
export interface UploadMessage extends Traced {
  readonly tenant: TenantId;
  /** `upl_<ULID>` */
  readonly uploadId: string;
}

const UPLOAD_PREFIX = "upl_";

const uploadId = z
  .string()
  .check(z.refine((text) => text.startsWith(UPLOAD_PREFIX) && isUlid(text.slice(UPLOAD_PREFIX.length))));

const schema = z.object({ v: version, tenant, upload_id: uploadId, trace_id: traceId });

export function encodeUpload(message: UploadMessage): string {
  return encodeBody({ tenant: message.tenant, upload_id: message.uploadId }, message);
}

export function decodeUpload(text: string): UploadMessage | null {
  return decodeBody(
    text,
    schema,
    (body): UploadMessage => ({ tenant: body.tenant, uploadId: body.upload_id, ...traceField(body.trace_id) }),
    // The release before this one had no such queue.
    () => null,
  );
}
