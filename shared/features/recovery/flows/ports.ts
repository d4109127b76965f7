import type { Files } from "#base/aws/files.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Memberships } from "#features/access/store/memberships.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import type { AccountChecks } from "#features/accounts/store/account-checks.ts";
import type { Accounts } from "#features/accounts/store/accounts.ts";
import type { Holds } from "#features/holds/store/holds.ts";
import type { CutOffPorts } from "#features/realtime/ports.ts";
import type { JournalPorts } from "../journal.ts";
import type { RestoredErasures } from "../store/restored-erasures.ts";
import type { RestoredRows } from "../store/restored-rows.ts";
import type { Restores } from "../store/restores.ts";

/** The result of an act: it was made now, or needs not be made; or the problem that the operator has to solve. */
export type ActResult = "made" | "unchanged" | { readonly problem: string };

/** An act to make, and when it was first made. */
export interface ActTime {
  readonly at: Millis;
  readonly now: Millis;
}

/** The acts that other flows make. Each is safe to repeat, and has the restore as its author. */
export interface RestoredActs {
  revokeKey(tenant: TenantId | null, keyId: string, time: ActTime): Promise<ActResult>;
  setTenantStatus(tenant: TenantId, status: "active" | "suspended", time: ActTime): Promise<ActResult>;
  /** What is newer than `upTo` stays. */
  eraseConversation(conversationId: string, upTo: Millis, time: ActTime): Promise<ActResult>;
  deleteData(platformUserId: string, issuedAt: Millis, time: ActTime): Promise<ActResult>;
  disconnectAccount(tenant: TenantId, account: AccountRef, time: ActTime): Promise<ActResult>;
  /** The result is a problem in any case: the receiver needs the new secret. */
  rotateWebhookSecret(tenant: TenantId, endpointId: string, time: ActTime): Promise<ActResult>;
  setWebhookStatus(
    tenant: TenantId,
    endpointId: string,
    status: "active" | "paused",
    time: ActTime,
  ): Promise<"made" | "unchanged">;
  deleteWebhook(tenant: TenantId, endpointId: string, time: ActTime): Promise<ActResult>;
  /** Ends an invite that was pending at the time of the copy. @returns `unchanged` for a later one, and one that ended */
  endInvite(tenant: TenantId, inviteId: string, time: ActTime): Promise<"made" | "unchanged">;
  /** Takes minutes. */
  deleteTenant(tenant: TenantId, time: ActTime): Promise<ActResult>;
}

/** The journal that is read, which functions cannot. */
export interface ReadJournalPorts {
  readonly journalFiles: Pick<Files, "list" | "get">;
}

export interface ApplyJournalPorts extends ReadJournalPorts, JournalPorts, CutOffPorts {
  readonly restoredRows: Pick<RestoredRows, "scan">;
  readonly restoredErasures: Pick<RestoredErasures, "note">;
  readonly memberships: Pick<Memberships, "get" | "changeRole" | "remove">;
  readonly acts: RestoredActs;
}

export interface FetchPorts {
  readonly accounts: Pick<Accounts, "get">;
  readonly accountChecks: Pick<AccountChecks, "get" | "noteBackfill">;
  readonly accountWork: Pick<Queue, "send">;
  readonly restores: Pick<Restores, "setFetchUntil">;
  /** The queue of webhooks. `count`: with the messages that are being received, and those that wait. */
  readonly inbound: { count(): Promise<number> };
}

export interface RestorePorts extends ApplyJournalPorts, FetchPorts {
  readonly restores: Restores;
  readonly restoredRows: RestoredRows;
  readonly holds: Pick<Holds, "listWaiting" | "revoke">;
}

/** The clock of a restore. */
export interface RestoreTime {
  readonly now: () => Millis;
  /** Resolves once this time has passed by its clock. */
  readonly wait: (duration: Millis) => Promise<void>;
}
