import { holdSecretHash, newHoldId } from "../../../../shared/domain/holds/holds.ts";
import type { SendContent } from "../../../../shared/domain/sending/send-content.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { DAY, MINUTE, type Millis } from "../../../../shared/kernel/time.ts";
import type { Table } from "../../../../shared/stores/client.ts";
import type { NewHold } from "../../../../shared/stores/holds/hold-items.ts";
import { holdStore } from "../../../../shared/stores/holds/holds.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { conversationOf, INBOX, messageOf, NOW, newTenant } from "./samples.ts";

export const CANARY = "canary: nobody may read this";
export const SAID: SendContent = { kind: "text", text: CANARY };
/** When the person wrote to whom a message is held. */
export const WROTE: Millis = NOW - 2 * DAY;

export function draft(tenant: TenantId, rest: Partial<NewHold> = {}): NewHold {
  const id = newHoldId(NOW);
  return {
    id,
    conversationId: conversationOf(tenant),
    scope: "live",
    content: SAID,
    replyTo: null,
    actorId: "agent-1",
    secretHash: holdSecretHash(`secret of ${id}`),
    createdAt: NOW,
    expiresAt: NOW + 15 * MINUTE,
    ...rest,
  };
}

export const auditOf = (hold: NewHold) =>
  ({ action: "hold.create", resource: `hold:${hold.id}`, actor: "key:k", ip: null, detail: {}, at: NOW }) as const;

export async function personWrote(table: Table, tenant: TenantId): Promise<void> {
  const message = messageOf(tenant, { id: `${tenant} m`, sentAt: WROTE });
  await conversationStore(table).apply(tenant, message, INBOX);
}

/** A hold of a tenant of its own. */
export async function held(table: Table, rest: Partial<NewHold> = {}): Promise<NewHold> {
  const tenant = newTenant();
  await personWrote(table, tenant);
  const hold = draft(tenant, rest);
  if (!(await holdStore(table).create(hold, WROTE, auditOf(hold)))) throw new Error("There is no conversation.");
  return hold;
}
