import type { Log } from "#base/aws/log.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { Vault } from "#base/aws/vault.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { NoticePorts } from "#features/access/mails.ts";
import type { EventBodies } from "#features/delivery/store/event-bodies.ts";
import type { Conversations } from "#features/inbox/store/conversations.ts";
import type { JournalPorts } from "#features/recovery/journal.ts";
import type { Budgets } from "#features/sending/store/budgets.ts";
import type { AccountPlatform } from "#platforms/graph/account-platform.ts";
import type { BackfillPorts } from "./flows/backfill/ports.ts";
import type { Connection } from "./rules/accounts.ts";
import type { AccountChecks } from "./store/account-checks.ts";
import type { Accounts } from "./store/accounts.ts";
import type { Authorizations } from "./store/authorizations.ts";
import type { PageUses } from "./store/page-uses.ts";

export interface LinkPorts {
  readonly accounts: Pick<Accounts, "connect">;
  readonly accountChecks: Pick<AccountChecks, "clearFormerLogins">;
  readonly authorizations: Pick<Authorizations, "expire">;
  readonly vault: Pick<Vault, "seal">;
}

/** What a call needs that starts or ends a subscription to webhooks. */
export interface SubscriptionCallPorts<Calls extends keyof AccountPlatform = "subscribe" | "unsubscribe"> {
  readonly accountPlatformFor: (connection: Connection) => Promise<Pick<AccountPlatform, Calls>>;
  readonly vault: Pick<Vault, "open">;
  readonly log: Log;
}

/** What making a subscription to webhooks as the accounts need it takes. */
export interface ReconcilePorts extends SubscriptionCallPorts {
  readonly accounts: Pick<Accounts, "get" | "getRoute" | "recordResubscription">;
  readonly accountChecks: Pick<AccountChecks, "get" | "noteBackfill">;
  readonly pageUses: Pick<PageUses, "list">;
  /** The queue of the accounts' tasks. */
  readonly accountWork: Pick<Queue, "send">;
}

/** What the task of a subscription needs. */
export interface ReconcileTaskPorts extends ReconcilePorts {
  readonly accountPlatformFor: SubscriptionCallPorts<
    "subscribe" | "unsubscribe" | "readSubscription"
  >["accountPlatformFor"];
}

export interface AccountDisconnectPorts extends ReconcilePorts, JournalPorts {
  readonly accounts: ReconcilePorts["accounts"] & Pick<Accounts, "disconnect">;
  readonly eventBodies: Pick<EventBodies, "getByUlids">;
  readonly events: Pick<Queue, "send">;
}

export interface FinishConnectPorts extends ReconcilePorts {
  readonly accounts: ReconcilePorts["accounts"] & Pick<Accounts, "getConnection" | "disconnect" | "clearReplaced">;
  readonly accountChecks: ReconcilePorts["accountChecks"] & Pick<AccountChecks, "replace" | "clearFormerLogins">;
  readonly authorizations: Pick<Authorizations, "expire">;
  readonly eventBodies: Pick<EventBodies, "getByUlids" | "save">;
  readonly events: Queue;
}

/** What connecting an account needs. */
export interface ConnectPorts extends FinishConnectPorts {
  /** The most accounts of a tenant. One that is connected may always be connected again. */
  readonly accountsMax: number;
  readonly accounts: FinishConnectPorts["accounts"] & LinkPorts["accounts"];
  readonly vault: ReconcilePorts["vault"] & LinkPorts["vault"];
}

/** The clock of an invocation, and when it ends. */
export interface TaskTime {
  readonly now: () => Millis;
  readonly endsAt: Millis;
}

/** What mails about a connection need. */
export interface ConnectedMailPorts extends NoticePorts {
  readonly accounts: Pick<Accounts, "recordConnectedMail">;
}

/** What the tasks of the accounts queue need. */
export type AccountTaskPorts = FinishConnectPorts &
  ConnectedMailPorts &
  AccountDisconnectPorts &
  BackfillPorts &
  AccountCheckPorts;

export interface AccountEventPorts {
  readonly eventBodies: Pick<EventBodies, "save">;
  readonly events: Queue;
}

/** What the refusal of a platform call changes. */
export interface RefusalPorts extends AccountEventPorts {
  readonly accounts: Pick<Accounts, "setStatus">;
  readonly budgets: Pick<Budgets, "pauseAccount">;
  readonly accountWork: Queue;
}

export interface RestrictionPorts extends AccountEventPorts {
  readonly accounts: Pick<Accounts, "endRestriction">;
}

/** Enqueues the checks that are due. */
export interface DueCheckPorts {
  readonly accountChecks: Pick<AccountChecks, "listDue">;
  readonly accountWork: Queue;
  readonly log: Log;
}

export interface KeyStatePorts {
  readonly readKeyState: () => Promise<string>;
  readonly log: Log;
}

/** Checks an account. */
export interface AccountCheckPorts extends AccountEventPorts, NoticePorts {
  readonly log: Log;
  readonly accounts: Pick<
    Accounts,
    | "get"
    | "getRoute"
    | "getHealth"
    | "changeHealth"
    | "claimMail"
    | "clearNotices"
    | "setStatus"
    | "replaceToken"
    | "recordResubscription"
  >;
  readonly accountChecks: Pick<
    AccountChecks,
    "get" | "add" | "reschedule" | "remove" | "noteBackfill" | "clearFormerLogins"
  >;
  readonly authorizations: Pick<Authorizations, "expire">;
  readonly conversations: Pick<Conversations, "snapshots">;
  /** How often an account is checked. Default: once a day. */
  readonly checkInterval?: Millis;
  readonly pageUses: Pick<PageUses, "list">;
  readonly accountPlatformFor: (connection: Connection) => Promise<AccountPlatform>;
  readonly vault: Pick<Vault, "open" | "seal">;
  readonly accountWork: Queue;
}
