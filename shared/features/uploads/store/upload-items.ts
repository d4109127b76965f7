import { UPLOAD_READABLE } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { relatedKeys } from "#features/erasure/store/keys.ts";
import { readConversationId } from "#features/inbox/rules/conversations.ts";
import type { Scope } from "#features/inbox/rules/messages.ts";
import type { MediaType } from "#features/sending/rules/send-content.ts";
import { type UploadError, type UploadState, type UploadStatus, uploadCreatedAt } from "../rules/uploads.ts";
import { uploadAttributes as A } from "./attributes.ts";

/** A file that a client uploads for a conversation. */
export interface StoredUpload {
  readonly id: string;
  readonly tenant: TenantId;
  readonly conversationId: string;
  readonly scope: Scope;
  /** Cleaned. */
  readonly filename: string;
  /** Normalized. */
  readonly contentType: string;
  /** Bytes: as the client declared them while the upload waits, then those of the checked file. */
  readonly size: number;
  readonly type: MediaType;
  /** As stored. `uploadStateAt` derives the state at a time. */
  readonly state: UploadState;
}

export type NewUpload = Omit<StoredUpload, "tenant" | "state">;

/** An upload as stored. */
export interface UploadItem extends Key {
  readonly [A.status]: UploadStatus;
  readonly [A.conversationId]: string;
  readonly [A.test]?: true;
  readonly [A.filename]: string;
  readonly [A.contentType]: string;
  readonly [A.size]: number;
  readonly [A.type]: MediaType;
  readonly [A.copyKey]?: string;
  readonly [A.processingAt]?: Millis;
  readonly [A.tries]?: number;
  readonly [A.attachmentId]?: string;
  readonly [A.error]?: UploadError;
}

export function uploadItem(upload: NewUpload) {
  return {
    ...relatedKeys.upload(upload.id),
    [A.status]: "waiting",
    [A.conversationId]: upload.conversationId,
    [A.test]: upload.scope === "test" ? true : undefined,
    [A.filename]: upload.filename,
    [A.contentType]: upload.contentType,
    [A.size]: upload.size,
    [A.type]: upload.type,
    [A.ttl]: uploadTimeToLive(upload.id),
  };
}

/** The time to live of an upload and of its reference. */
export function uploadTimeToLive(id: string): number {
  return timeToLive(uploadCreatedAt(id) + UPLOAD_READABLE);
}

export function toUpload(item: UploadItem): StoredUpload {
  const id = item.PK.slice("U#".length);
  const { [A.conversationId]: conversationId } = item;
  const tenant = readConversationId(conversationId)?.tenant;
  if (!tenant) throw new Error("Upload has no conversation.");
  return {
    id,
    tenant,
    conversationId,
    scope: item[A.test] ? "test" : "live",
    filename: item[A.filename],
    contentType: item[A.contentType],
    size: item[A.size],
    type: item[A.type],
    state: toUploadState(item),
  };
}

function toUploadState(item: UploadItem): UploadState {
  const { [A.status]: status, [A.copyKey]: copyKey = null, [A.tries]: tries = 0 } = item;
  switch (status) {
    case "waiting":
      return { status };
    case "processing":
      return { status, copyKey: required(copyKey), processingAt: required(item[A.processingAt]), tries };
    case "ready":
      return { status, copyKey: required(copyKey), attachmentId: required(item[A.attachmentId]) };
    case "failed":
      return {
        status,
        copyKey,
        error: required(item[A.error]),
        processingAt: item[A.processingAt] ?? null,
      };
  }
}

/** An attribute that an upload of this status has. */
function required<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new Error("Upload lacks an attribute of its status.");
  return value;
}
