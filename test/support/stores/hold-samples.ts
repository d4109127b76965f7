import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { holdSecretHash, newHoldId } from "#features/holds/rules/holds.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import type { NewHold } from "#features/holds/store/items.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import type { SendContent } from "#features/sending/rules/send-content.ts";
import { NOW, newTenant, SAMPLE_INBOX, sampleConversationId, sampleMessage } from "./samples.ts";

export const CANARY = "canary: no one may read this";
export const HELD_CONTENT: SendContent = { kind: "text", text: CANARY };
/** When the person wrote to whom a message is held. */
export const LAST_MESSAGE_AT: Millis = NOW - 2 * DAY;

export function sampleHold(tenant: TenantId, rest: Partial<NewHold> = {}): NewHold {
  const id = newHoldId(NOW);
  return {
    id,
    conversationId: sampleConversationId(tenant),
    scope: "live",
    content: HELD_CONTENT,
    replyTo: null,
    actorId: "agent-1",
    actorName: null,
    secretHash: holdSecretHash(`secret of ${id}`),
    createdAt: NOW,
    expiresAt: NOW + 15 * MINUTE,
    ...rest,
  };
}

export const holdAuditEntry = (hold: NewHold) =>
  ({ action: "hold.create", resource: `hold:${hold.id}`, actor: "key:k", ip: null, detail: {}, at: NOW }) as const;

export async function recordInbound(table: Table, tenant: TenantId): Promise<void> {
  const message = sampleMessage(tenant, { id: `${tenant} m`, sentAt: LAST_MESSAGE_AT });
  await conversationStore(table).advanceHead(tenant, message, SAMPLE_INBOX);
}

/** A hold of a tenant of its own. */
export async function createSampleHold(table: Table, rest: Partial<NewHold> = {}): Promise<NewHold> {
  const tenant = newTenant();
  await recordInbound(table, tenant);
  const hold = sampleHold(tenant, rest);
  if (!(await holdStore(table).create(hold, LAST_MESSAGE_AT, holdAuditEntry(hold))))
    throw new Error("There is no conversation.");
  return hold;
}
