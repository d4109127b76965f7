import type { Log } from "#base/aws/log.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import type { Refusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { RemovalCounts } from "#features/erasure/rules/erasures.ts";
import type { Erasures } from "#features/erasure/store/erasures.ts";
import type { Conversations } from "#features/inbox/store/conversations.ts";
import type { JournalPorts } from "#features/recovery/journal.ts";
import type { SignedRequest } from "#platforms/graph/webhooks/signed-request.ts";
import type { AccountChecks } from "../../store/account-checks.ts";
import type { Accounts } from "../../store/accounts.ts";
import type { Authorizations } from "../../store/authorizations.ts";
import type { DataDeletions } from "../../store/data-deletions.ts";
import type { HolderTimes } from "../../store/holder-times.ts";

interface LoginPorts {
  readonly accounts: Pick<Accounts, "get">;
  readonly authorizations: Pick<Authorizations, "list" | "remove">;
  /** The queue of the tasks of accounts. */
  readonly accountWork: Queue;
}

/** What a platform requests about a person. */
export interface PlatformRequest {
  readonly platformUserId: string;
  readonly now: Millis;
  /** When the platform issued it. Its arrival, if absent. */
  readonly issuedAt?: Millis | undefined;
}

/** Reads what a platform signed with one of the secrets. */
export interface SignedRequestPorts {
  readonly parseSignedRequest: (text: string, secrets: readonly string[]) => SignedRequest;
}

export type DeauthorizePorts = Omit<LoginPorts, "authorizations"> & {
  readonly authorizations: Pick<Authorizations, "list">;
};

interface ConfirmationCodePorts {
  /** Derives confirmation codes. */
  readonly dataDeletionKeys: ReadKeyRing;
}

export interface DeleteDataPorts extends LoginPorts, ConfirmationCodePorts, JournalPorts {
  readonly dataDeletions: Pick<DataDeletions, "load" | "addAccount" | "makeDue" | "start" | "finish">;
}

/** A conversation to erase. */
export interface SystemErasure {
  readonly tenant: TenantId;
  readonly conversationId: string;
  readonly now: Millis;
  readonly time: { readonly now: () => Millis };
  /** What is newer stays. Default: nothing does */
  readonly upTo?: Millis | undefined;
}

interface ErasureResult {
  /** False while the erasure continues in the background. */
  readonly done: boolean;
  /** How many rows of each kind it removed. */
  readonly removed: RemovalCounts;
}

/** What erases the conversations of an account in the background. */
export interface EraseAccountPorts extends ConfirmationCodePorts {
  readonly accounts: Pick<Accounts, "get">;
  readonly holderTimes: HolderTimes;
  readonly accountChecks: Pick<AccountChecks, "get" | "remove">;
  readonly authorizations: Pick<Authorizations, "remove">;
  readonly accountWork: Queue;
  readonly conversations: Pick<Conversations, "inbox">;
  readonly erasures: Pick<Erasures, "get">;
  /** Erases a conversation in Parley's own name. `hasTime`: whether another page may start. */
  readonly eraseConversation: (erasure: SystemErasure, hasTime: () => boolean) => Promise<ErasureResult | Refusal>;
  readonly dataDeletions: Pick<
    DataDeletions,
    "getAccount" | "postpone" | "markGone" | "recordErasure" | "removeAccount" | "finish"
  >;
}

/** Continues the data deletions that are due. */
export interface ResumeDeletionsPorts {
  readonly dataDeletions: Pick<DataDeletions, "listDue" | "claim" | "finish" | "postponeStatus">;
  readonly accountWork: Pick<Queue, "send">;
  readonly log: Log;
}
