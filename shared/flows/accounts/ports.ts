import type { Log } from "../../aws/log.ts";
import type { Queue } from "../../aws/queues.ts";
import type { Vault } from "../../aws/vault.ts";
import type { AccountChecks } from "../../stores/accounts/account-checks.ts";
import type { Accounts } from "../../stores/accounts/accounts.ts";
import type { Authorizations } from "../../stores/accounts/authorizations.ts";
import type { EventBodies } from "../../stores/delivery/event-bodies.ts";
import type { Budgets } from "../../stores/sending/budgets.ts";

export interface LinkPorts {
  readonly accounts: Pick<Accounts, "connect">;
  readonly accountChecks: Pick<AccountChecks, "put">;
  readonly authorizations: Pick<Authorizations, "expire">;
  readonly vault: Pick<Vault, "seal">;
}

/** What the tasks of the accounts queue need. */
export interface AccountTaskPorts {
  readonly log: Log;
}

export interface AccountEventPorts {
  readonly eventBodies: Pick<EventBodies, "save">;
  readonly events: Queue;
}

/** What the refusal of a platform call changes. */
export interface RefusalPorts extends AccountEventPorts {
  readonly accounts: Pick<Accounts, "setStatus">;
  readonly budgets: Pick<Budgets, "pauseAccount">;
}

export interface RestrictionPorts extends AccountEventPorts {
  readonly accounts: Pick<Accounts, "endRestriction">;
}
