import * as z from "zod/mini";
import { errorFields } from "#base/events/error-fields.ts";
import { type MediaType, mediaTypes } from "#features/sending/rules/send-content.ts";
import { type UploadState, uploadStatuses } from "./rules/uploads.ts";

// An upload as the API and the realtime stream show it.

export function uploadFields() {
  const type = z.enum(mediaTypes);
  return z.object({
    id: z.string(),
    status: z.enum(uploadStatuses),
    conversation_id: z.string(),
    filename: z.string(),
    content_type: z.string(),
    size: z.int(),
    type,
    attachment: z.optional(z.object({ id: z.string(), type })),
    error: z.optional(errorFields()),
  });
}

interface UploadSummary {
  readonly id: string;
  readonly conversationId: string;
  readonly filename: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  readonly type: MediaType;
}

export function toUploadFields(upload: UploadSummary, state: UploadState): z.infer<ReturnType<typeof uploadFields>> {
  return {
    id: upload.id,
    status: state.status,
    conversation_id: upload.conversationId,
    filename: upload.filename,
    content_type: upload.contentType,
    size: upload.size,
    type: upload.type,
    ...(state.status === "ready" ? { attachment: { id: state.attachmentId, type: upload.type } } : {}),
    ...(state.status === "failed" ? { error: state.error } : {}),
  };
}
