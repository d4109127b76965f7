import type { EncryptionContext, Vault } from "#base/aws/vault.ts";
import { deriveEventUlid } from "#base/events/events.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { encodeEvent } from "#features/delivery/event-queue.ts";
import { type AccountEvent, type AccountEventType, renderAccountEvent } from "./events.ts";
import type { AccountEventPorts, RefusalPorts, RestrictionPorts } from "./ports.ts";
import { encodeAccountTask } from "./queue.ts";
import { type Account, type AccountRef, accountKey } from "./rules/accounts.ts";
import type { Accounts } from "./store/accounts.ts";

/**
 * Opens the access token of an account.
 * @param account with the token that it has now, or that one of its connections had
 * @throws InvalidCiphertextException when the token was sealed for another tenant or account
 */
export function accountToken(
  vault: Pick<Vault, "open">,
  tenant: TenantId,
  account: AccountRef & { readonly sealedToken: Uint8Array },
): Promise<string> {
  return vault.open(account.sealedToken, tokenContext(tenant, account));
}

/** Encrypts an access token, so that it opens for this tenant and account alone. */
export function sealAccountToken(
  vault: Pick<Vault, "seal">,
  tenant: TenantId,
  account: AccountRef & { readonly token: string },
): Promise<Uint8Array> {
  return vault.seal(account.token, tokenContext(tenant, account));
}

function tokenContext(tenant: TenantId, account: AccountRef): EncryptionContext {
  return { purpose: "account-token", tenant, owner: accountKey(account) };
}

// What a call to the platform changes for its account. Each change is safe to repeat, and published once.

/** A call to the platform for an account: a send or an upload. */
export interface AccountCall {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  /** The id of the send or upload. A repetition of the call has the same id and time, and so the same events. */
  readonly id: string;
  readonly startedAt: Millis;
  /** When the process that called read the account. A token refreshed later overrides a refusal. */
  readonly asOf: Millis;
}

/** What a refusal changes for later calls of the account. */
interface AccountRefusal {
  /** The platform's error text. */
  readonly detail: string;
  readonly at: Millis;
  readonly accountStatus: "needs_reauth" | "restricted" | null;
  /** How long the account pauses all sends, in milliseconds. */
  readonly coolDownMs: Millis | null;
}

/** Applies the effects of a platform's refusal to the account: its status, and a pause of its sends. */
export async function applyAccountRefusal(
  ports: RefusalPorts,
  call: AccountCall,
  refusal: AccountRefusal,
): Promise<void> {
  const { coolDownMs, at } = refusal;
  await allDone([
    updateAccountStatus(ports, call, refusal),
    coolDownMs === null ? null : ports.budgets.pauseAccount(call.tenant, call.account, at + coolDownMs),
  ]);
}

/** Publishes one event per change: nothing when the account already has the status. */
async function updateAccountStatus(
  ports: RefusalPorts,
  call: AccountCall,
  { accountStatus: status, detail, at }: AccountRefusal,
): Promise<void> {
  if (status === null) return;
  const type = `account.${status}` as const;
  const eventUlid = accountEventUlid(call, type);
  const change = { status, detail, asOf: call.asOf, at, eventUlid };
  const account = await ports.accounts.setStatus(call.tenant, call.account, change);
  if (account) await publishRefusal(ports, call.tenant, { eventUlid, type, account: { ...account, status } });
  if (account) await requestCheck(ports, call);
}

/** The check asks the platform whether the refusal stands, mails the owners, and comes again when a restriction may be over. */
function requestCheck({ accountWork }: RefusalPorts, { tenant, account }: AccountCall): Promise<void> {
  const { platform, externalId } = account;
  const task = { op: "check", tenant, account: { platform, externalId } } as const;
  return accountWork.send({ body: encodeAccountTask(task), group: tenant });
}

/**
 * Publishes the account's status again if this call changed it: the process that stored the change may have died before
 * it could publish. Reads nothing unless the account cannot send.
 */
export async function republishAccountStatus(
  ports: AccountEventPorts & { readonly accounts: Pick<Accounts, "hasStatusEvent"> },
  call: AccountCall,
  account: Account,
): Promise<void> {
  const { status } = account;
  if (status !== "needs_reauth" && status !== "restricted") return;
  const type = `account.${status}` as const;
  const eventUlid = accountEventUlid(call, type);
  const isOfCall = await ports.accounts.hasStatusEvent(call.tenant, account, eventUlid);
  if (isOfCall) await publishRefusal(ports, call.tenant, { eventUlid, type, account });
}

/** Ends a restriction of the account that an earlier refusal reported, and publishes it once. */
export async function endAccountRestriction(ports: RestrictionPorts, call: AccountCall): Promise<void> {
  const type = "account.recovered";
  const eventUlid = accountEventUlid(call, type);
  const account = await ports.accounts.endRestriction(call.tenant, call.account, { asOf: call.asOf, eventUlid });
  if (!account) return;
  await publishAccountEvent(ports, call.tenant, {
    eventUlid,
    type,
    account: { ...account, status: "active" },
    reason: "policy",
  });
}

function accountEventUlid({ tenant, account, id, startedAt }: AccountCall, type: AccountEventType): string {
  return deriveEventUlid(tenant, JSON.stringify([accountKey(account), id]), type, startedAt);
}

function publishRefusal(
  ports: AccountEventPorts,
  tenant: TenantId,
  event: Pick<AccountEvent, "eventUlid" | "type" | "account">,
): Promise<void> {
  const reason = event.account.status === "needs_reauth" ? "token_invalid" : "policy";
  return publishAccountEvent(ports, tenant, { ...event, reason });
}

/** Stores the event's body and sends the event. Safe to repeat: the first body stays. */
export async function publishAccountEvent(
  ports: AccountEventPorts,
  tenant: TenantId,
  event: AccountEvent,
): Promise<void> {
  const { eventUlid, type } = event;
  await ports.eventBodies.save(tenant, renderAccountEvent(tenant, event));
  await ports.events.send({
    body: encodeEvent({ tenant, eventUlid, type, source: null, repeated: true }),
    group: tenant,
  });
}
