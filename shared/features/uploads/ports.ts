import type { Files } from "#base/aws/files.ts";
import type { Log } from "#base/aws/log.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { UploadFiles, UploadGrants, UploadLinks } from "#base/aws/upload-files.ts";
import type { Vault } from "#base/aws/vault.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import type { RefusalPorts } from "#features/accounts/ports.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import type { Accounts } from "#features/accounts/store/accounts.ts";
import type { Conversations } from "#features/inbox/store/conversations.ts";
import type { PushRequestPorts } from "#features/realtime/ports.ts";
import type { AttachmentOwners } from "#features/sending/store/attachment-owners.ts";
import type { Platform } from "#platforms/graph/platform.ts";
import type { UploadRemovals } from "./store/upload-removals.ts";
import type { Uploads } from "./store/uploads.ts";

/** What creating, finishing and reading uploads needs. */
export interface UploadPorts extends PushRequestPorts {
  readonly uploads: Pick<Uploads, "create" | "get" | "startProcessing" | "fail" | "lapse">;
  readonly conversations: Pick<Conversations, "get">;
  readonly accounts: Pick<Accounts, "get">;
  readonly uploadGrants: UploadGrants;
  readonly uploadFiles: Pick<UploadFiles, "head" | "firstBytes" | "copy" | "remove">;
  /** The queue of uploads to hand over to their platform. */
  readonly uploadWork: Pick<Queue, "send">;
  readonly log: Log;
}

export interface PurgeUploadsPorts {
  readonly uploadFiles: Pick<Files, "list" | "removeAll">;
  readonly log: Log;
}

export interface HandOverPorts extends RefusalPorts, PushRequestPorts {
  readonly uploads: Pick<Uploads, "get" | "countTry" | "complete" | "fail" | "lapse">;
  readonly conversations: Pick<Conversations, "get">;
  readonly accounts: Pick<Accounts, "get" | "setStatus" | "hasStatusEvent">;
  readonly attachmentOwners: Pick<AttachmentOwners, "put">;
  readonly vault: Pick<Vault, "open">;
  readonly platformFor: (account: Account, scope: Scope) => Promise<Pick<Platform, "upload">>;
  readonly uploadLinks: UploadLinks;
  readonly uploadFiles: Pick<Files, "remove">;
  readonly log: Log;
}

/** For removing uploads with their files. */
export interface RemoveUploadsPorts {
  readonly uploadFiles: Pick<Files, "removeAll">;
  readonly uploadRemovals: UploadRemovals;
}
