import type { Account } from "../../domain/accounts/accounts.ts";
import { hasSockets } from "../../domain/realtime/sockets.ts";
import { errorClass } from "../../kernel/error-class.ts";
import { newUlid } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { encodeRealtime, type RealtimeTask } from "../../queues/realtime.ts";
import type { PushRequestPorts } from "./ports.ts";

// The flow that makes a change that is no event requests its push, after the write. Whether the tenant has sockets is known
// from the mark of the account that the flow reads anyway, so a tenant without sockets costs nothing.

/** A changed row of a tenant. */
interface Change {
  readonly tenant: TenantId;
  /** The account of the conversation that the row belongs to. */
  readonly account: Pick<Account, "socketsUntil">;
  readonly id: string;
  readonly now: Millis;
}

/** Requests the push of a conversation that changed beside its messages. */
export function pushConversation(ports: PushRequestPorts, change: Change): Promise<void> {
  return requestPush(ports, change, (eventUlid) => ({ kind: "conversation", conversationId: change.id, eventUlid }));
}

/** Requests the push of a held message that changed. */
export function pushHold(ports: PushRequestPorts, change: Change): Promise<void> {
  return requestPush(ports, change, (eventUlid) => ({ kind: "hold", holdId: change.id, eventUlid }));
}

/** Requests the push of an upload that changed. */
export function pushUpload(ports: PushRequestPorts, change: Change): Promise<void> {
  return requestPush(ports, change, (eventUlid) => ({ kind: "upload", uploadId: change.id, eventUlid }));
}

/**
 * Queues a task for the tenant's sockets, if there may be any. A failure is logged only: the change is stored, and a client
 * that refetches finds it.
 */
async function requestPush(
  { realtime, log }: PushRequestPorts,
  { tenant, account, now }: Change,
  toTask: (eventUlid: string) => RealtimeTask,
): Promise<void> {
  if (!hasSockets(account, now)) return;
  const body = encodeRealtime({ tenant, ...toTask(newUlid(now)) });
  await realtime.send({ body, group: tenant }).catch((error: unknown) => {
    log({ event: "realtime.request_failed", error: errorClass(error) });
  });
}
