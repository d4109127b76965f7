import type { Log } from "#base/aws/log.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { deriveUlid, newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import type { Accounts } from "#features/accounts/store/accounts.ts";
import type { PushRequestPorts } from "./ports.ts";
import { encodeRealtime, type RealtimeMessage, type RealtimeTask } from "./queue.ts";
import { hasSockets } from "./rules/sockets.ts";

// The flow that makes a change that is no published event requests its push, after the write. Whether the tenant has sockets
// is known from what the flow reads anyway, mostly the mark of the account, so a tenant without sockets costs nothing. Slow
// and repeated work reads the account for it: the cases are in decision 27.

/** A push for a change may be decided by an account that was read this long before it. A socket that opens later has its first
 * frame after the change. */
const READ_AGE_MAX: Millis = SECOND;

/** An account, and when a flow read it. */
export interface ReadAccount {
  readonly account: Account;
  readonly readAt: Millis;
}

/**
 * The account for the push of a change that took time, such as a call of a platform. It is read again if a socket may have
 * opened since, and got its first frame before the change.
 */
export async function accountForPush(
  { accounts, log }: { readonly accounts: Pick<Accounts, "get">; readonly log: Log },
  tenant: TenantId,
  { account, readAt }: ReadAccount,
  now: Millis,
): Promise<Account> {
  if (hasSockets(account, now) || now - readAt <= READ_AGE_MAX) return account;
  const current = await accounts.get(tenant, account).catch((error: unknown) => {
    log({ event: "realtime.request_failed", error: errorClass(error) });
  });
  return current ?? account;
}

/** A changed row of a tenant. */
interface Change {
  readonly tenant: TenantId;
  /** The account of the conversation that the row belongs to. */
  readonly account: Pick<Account, "socketsUntil">;
  readonly id: string;
  readonly now: Millis;
}

/** Requests the push of a conversation that changed beside its messages. */
export function requestConversationPush(ports: PushRequestPorts, change: Change): Promise<void> {
  return requestPush(ports, change, (eventUlid) => ({ kind: "conversation", conversationId: change.id, eventUlid }));
}

/**
 * Requests the push of a conversation that a person marked as done. Who does so mostly has a socket, so nothing is read to
 * find out.
 */
export function requestDonePush(
  ports: PushRequestPorts,
  { tenant, conversationId, now }: { readonly tenant: TenantId; readonly conversationId: string; readonly now: Millis },
): Promise<void> {
  return send(ports, { tenant, kind: "conversation", conversationId, eventUlid: newUlid(now) });
}

/** Requests the push of a held message that changed. */
export function requestHoldPush(ports: PushRequestPorts, change: Change): Promise<void> {
  return requestPush(ports, change, (eventUlid) => ({ kind: "hold", holdId: change.id, eventUlid }));
}

/** Requests the push of an upload that changed. */
export function requestUploadPush(ports: PushRequestPorts, change: Change): Promise<void> {
  return requestPush(ports, change, (eventUlid) => ({ kind: "upload", uploadId: change.id, eventUlid }));
}

/** Requests the push of an event that is not published: it is for one endpoint. */
export function requestTestEventPush(
  ports: PushRequestPorts,
  {
    tenant,
    eventUlid,
    ...known
  }: { readonly tenant: TenantId; readonly eventUlid: string; readonly socketsUntil: Millis | null },
  now: Millis,
): Promise<void> {
  if (!hasSockets(known, now)) return Promise.resolve();
  return send(ports, { tenant, kind: "events", events: [{ eventUlid, type: "test.event", source: null }] });
}

/** How long after the removal of the last row it is pushed that a conversation was erased. Frames that were read before are sent by then. */
const ERASED_DELAY: Millis = 2 * SECOND;

/** An erased conversation. `op`: names the start of the erasure. */
interface ErasedConversation {
  readonly tenant: TenantId;
  readonly conversationId: string;
  readonly erasedAt: Millis;
  readonly op: string;
}

/** Requests the push that a conversation was erased, for a tenant with sockets. The same erasure has the same frame. */
export function requestErasurePush(
  ports: PushRequestPorts,
  { tenant, conversationId, erasedAt, op }: ErasedConversation,
): Promise<void> {
  const eventUlid = deriveUlid(erasedAt, `${conversationId}\n${op}`);
  return send(ports, { tenant, kind: "conversation", conversationId, eventUlid, erased: true }, ERASED_DELAY);
}

/** Queues a task for the tenant's sockets, if there may be any. */
async function requestPush(
  ports: PushRequestPorts,
  { tenant, account, now }: Change,
  toTask: (eventUlid: string) => RealtimeTask,
): Promise<void> {
  if (hasSockets(account, now)) await send(ports, { tenant, ...toTask(newUlid(now)) });
}

/** A failure is logged only: the change is stored, and a client that refetches finds it. */
async function send({ realtime, log }: PushRequestPorts, message: RealtimeMessage, delay?: Millis): Promise<void> {
  const queued = { body: encodeRealtime(message), group: message.tenant, ...(delay === undefined ? {} : { delay }) };
  await realtime.send(queued).catch((error: unknown) => {
    log({ event: "realtime.request_failed", error: errorClass(error) });
  });
}
