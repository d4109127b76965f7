import type { Connection } from "../../domain/accounts/accounts.ts";
import { readConversationId } from "../../domain/inbox/conversations.ts";
import type { Scope } from "../../domain/inbox/messages.ts";
import { UPLOAD_READABLE } from "../../domain/limits.ts";
import type { MediaType } from "../../domain/sending/send-content.ts";
import {
  type UploadError,
  type UploadState,
  type UploadStatus,
  uploadCreatedAt,
  uploadError,
} from "../../domain/uploads/uploads.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { uploadAttributes as A } from "../attributes.ts";
import { type Key, relatedKeys, timeToLive } from "../keys.ts";

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
  /** The connection of the account when the upload was created. */
  readonly connection: Connection;
  readonly createdAt: Millis;
  /** As stored. `uploadStateAt` derives the state at a time. */
  readonly state: UploadState;
}

export type NewUpload = Omit<StoredUpload, "tenant" | "createdAt" | "state">;

/** An upload as stored. */
export interface UploadItem extends Key {
  readonly [A.status]: UploadStatus;
  readonly [A.conversationId]: string;
  readonly [A.test]?: true;
  readonly [A.filename]: string;
  readonly [A.contentType]: string;
  readonly [A.size]: number;
  readonly [A.type]: MediaType;
  readonly [A.connection]: Connection;
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
    [A.connection]: upload.connection,
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
    connection: item[A.connection],
    createdAt: uploadCreatedAt(id),
    state: toUploadState(item),
  };
}

function toUploadState(item: UploadItem): UploadState {
  const { [A.status]: status, [A.copyKey]: copyKey = null } = item;
  switch (status) {
    case "waiting":
      return { status };
    case "processing":
      return { status, copyKey: copyKey ?? "", processingAt: item[A.processingAt] ?? 0, tries: item[A.tries] ?? 0 };
    case "ready":
      return { status, copyKey: copyKey ?? "", attachmentId: item[A.attachmentId] ?? "" };
    case "failed":
      return {
        status,
        copyKey,
        error: item[A.error] ?? uploadError("internal_error"),
        processingAt: item[A.processingAt] ?? null,
      };
  }
}
