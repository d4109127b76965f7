import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { UPLOAD_PROCESSING_MAX, UPLOAD_READABLE } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import {
  above,
  allOf,
  atMost,
  type Expression,
  equals,
  isOneOf,
  isPresent,
  isUnchanged,
  itemDoesNotExist,
} from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { check, put, update } from "#base/table/writes.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { relatedRefAttributes as Ref } from "#features/erasure/store/attributes.ts";
import { relatedKeys, relatedRefKey } from "#features/erasure/store/items.ts";
import { readConversationId } from "#features/inbox/rules/messages.ts";
import { headAttributes as Head } from "#features/inbox/store/attributes.ts";
import { headKey } from "#features/inbox/store/items.ts";
import type { MediaType } from "#features/sending/rules/send-content.ts";
import {
  nextUploadStatus,
  type UploadError,
  type UploadState,
  type UploadStatus,
  type UploadTrigger,
  uploadCreatedAt,
  uploadStatusesBefore,
} from "../rules/uploads.ts";
import { uploadAttributes as A, uploadAttributes as Upload } from "./attributes.ts";

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

export type Uploads = ReturnType<typeof uploadStore>;

/** The copy of a file that passed the checks. */
interface CheckedCopy {
  /** Of the caller's copy alone, so that a repeated write recognizes itself. */
  readonly copyKey: string;
  /** Bytes. */
  readonly size: number;
  /** When its hand-over starts. */
  readonly at: Millis;
}

/** A transition of an upload. */
interface UploadChange {
  readonly trigger: Exclude<UploadTrigger, "create">;
  readonly set: Readonly<Record<string, unknown>>;
  /** Required besides a status that the trigger may leave. */
  readonly condition?: Expression;
}

/** Uploads. Each follows `uploadTransitions`, one conditional write per transition. */
export function uploadStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /**
     * Creates an upload and the row by which an erasure of its conversation finds it, in one transaction. Safe to repeat
     * with the same id.
     * @param asOf an instant of the conversation, such as that of its newest message: a later erasure removes the upload
     * @returns false when the conversation is gone
     */
    async create(upload: NewUpload, asOf: Millis): Promise<boolean> {
      const item = uploadItem(upload);
      const ref = {
        ...relatedRefKey(upload.conversationId, "upload", upload.id),
        [Ref.asOf]: asOf,
        [Ref.ttl]: uploadTimeToLive(upload.id),
      };
      // The head of an erased conversation has no last message.
      const conversationExists = isPresent(Head.lastAt);
      const { applied } = await conditionalTransaction(
        table,
        [put(item, itemDoesNotExist), put(ref), check(headKey(upload.conversationId), conversationExists)],
        { ownMark: { PK: item.PK } },
      );
      return applied;
    },

    /** One upload; null when there is none. Reads consistently unless `consistent` is false. */
    async get(id: string, { consistent = true } = {}): Promise<StoredUpload | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: relatedKeys.upload(id), ConsistentRead: consistent }),
      );
      return Item ? toUpload(Item as UploadItem) : null;
    },

    /**
     * Starts the hand-over of a checked copy, once per upload.
     * @returns false when the upload is gone or does not wait
     */
    async startProcessing(id: string, { copyKey, size, at }: CheckedCopy): Promise<boolean> {
      const upload = await change(id, {
        trigger: "finish",
        set: { [Upload.copyKey]: copyKey, [Upload.size]: size, [Upload.processingAt]: at },
      });
      return upload !== null && upload.state.status !== "waiting" && upload.state.copyKey === copyKey;
    },

    /**
     * Counts a failed call of the platform, if no other process has counted one since `tries` was read.
     * @returns the upload as it is then; null when it is gone
     */
    async countTry(id: string, tries: number): Promise<StoredUpload | null> {
      const isProcessing = equals(Upload.status, "processing");
      const condition = allOf(isProcessing, isUnchanged(Upload.tries, tries === 0 ? undefined : tries));
      return write(id, { [Upload.tries]: tries + 1 }, condition);
    },

    /**
     * Stores the id that the platform gave the file, unless the time for the hand-over has passed.
     * @returns the upload as it is then; null when it is gone
     */
    complete(id: string, attachmentId: string, now: Millis): Promise<StoredUpload | null> {
      return change(id, {
        trigger: "accept",
        set: { [Upload.attachmentId]: attachmentId },
        condition: above(Upload.processingAt, now - UPLOAD_PROCESSING_MAX),
      });
    },

    /**
     * Ends an upload with an error: one that waits, because its file was refused, or one in processing, because its
     * hand-over failed. After the time for the hand-over, only `lapse` applies.
     * @returns the upload as it is then; null when it is gone
     */
    fail(
      id: string,
      {
        error,
        from,
        now,
      }: { readonly error: UploadError; readonly from: "waiting" | "processing"; readonly now: Millis },
    ): Promise<StoredUpload | null> {
      const set = { [Upload.error]: error };
      return from === "waiting"
        ? change(id, { trigger: "refuse", set })
        : change(id, { trigger: "fail", set, condition: above(Upload.processingAt, now - UPLOAD_PROCESSING_MAX) });
    },

    /**
     * Stores that the hand-over of an upload had no outcome in time.
     * @returns the upload as it is then; null when it is gone
     */
    lapse(id: string, error: UploadError, now: Millis): Promise<StoredUpload | null> {
      const condition = atMost(Upload.processingAt, now - UPLOAD_PROCESSING_MAX);
      return change(id, { trigger: "lapse", set: { [Upload.error]: error }, condition });
    },
  };

  function change(id: string, { trigger, set, condition }: UploadChange): Promise<StoredUpload | null> {
    const allowedStatuses = uploadStatusesBefore(trigger);
    const [fromStatus] = allowedStatuses;
    const toStatus = fromStatus && nextUploadStatus(fromStatus, trigger);
    const mayChange = isOneOf(Upload.status, allowedStatuses);
    return write(id, { ...set, [Upload.status]: toStatus }, condition ? allOf(mayChange, condition) : mayChange);
  }

  async function write(
    id: string,
    set: Readonly<Record<string, unknown>>,
    condition: Expression,
  ): Promise<StoredUpload | null> {
    const result = await conditionalWrite<UploadItem>(
      table,
      update(relatedKeys.upload(id), { set }, condition, "ALL_NEW"),
    );
    const item = result.applied ? result.item : result.current;
    return item ? toUpload(item) : null;
  }
}
