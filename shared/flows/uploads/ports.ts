import type { Files } from "../../aws/files.ts";
import type { Log } from "../../aws/log.ts";
import type { Queue } from "../../aws/queues.ts";
import type { UploadFiles } from "../../aws/upload-files.ts";
import type { UploadGrants } from "../../aws/upload-grants.ts";
import type { UploadLinks } from "../../aws/upload-links.ts";
import type { Vault } from "../../aws/vault.ts";
import type { Account } from "../../domain/accounts/accounts.ts";
import type { Scope } from "../../domain/inbox/messages.ts";
import type { Platform } from "../../platforms/platform.ts";
import type { Accounts } from "../../stores/accounts/accounts.ts";
import type { Conversations } from "../../stores/inbox/conversations.ts";
import type { AttachmentOwners } from "../../stores/sending/attachment-owners.ts";
import type { UploadRemovals } from "../../stores/uploads/upload-removals.ts";
import type { Uploads } from "../../stores/uploads/uploads.ts";
import type { RefusalPorts } from "../accounts/ports.ts";
import type { PushRequestPorts } from "../realtime/ports.ts";

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
