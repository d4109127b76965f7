import { deriveEventUlid, type EventType, type RenderedEvent } from "../../domain/events/events.ts";
import { conversationId as idOfConversation } from "../../domain/inbox/conversations.ts";
import { changeKey } from "../../domain/inbox/message-changes.ts";
import type { ChangeUpdate } from "../../domain/inbox/updates.ts";
import { RETENTION } from "../../domain/limits.ts";
import { renderMessageDeleted } from "../../events/message-deleted.ts";
import { renderMessageEdited } from "../../events/message-edited.ts";
import { renderMessageReaction } from "../../events/message-reaction.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { encodeEvent } from "../../queues/events.ts";
import type { ConversationSnapshot } from "../../stores/inbox/conversations.ts";
import { conversationErasure } from "../erasure/late-writes.ts";
import type { Effects } from "./effects.ts";
import { applyOrDeferChange, type MessageChange } from "./pending-changes.ts";
import type { IngestPorts } from "./ports.ts";
import type { ResolvedAccount } from "./resolve-account.ts";

/**
 * Applies an unsend, an edit or a reaction and publishes its event once, even where the message has not arrived. The
 * edit of a message that is known to be unsent is not published.
 * @param snapshot of the conversation, read just before
 */
export async function applyMessageChange(
  ports: IngestPorts,
  account: ResolvedAccount,
  update: ChangeUpdate,
  snapshot: ConversationSnapshot,
  effects: Effects,
  now: Millis,
): Promise<void> {
  if (update.at <= now - RETENTION) return;
  const conversationId = idOfConversation({ ...update, tenant: account.tenant });
  const erasure = await conversationErasure(ports, account, conversationId, snapshot, now);
  if (await erasure.coversChange(update)) return;

  const name = changeKey(update);
  const type = eventTypes[update.kind];
  const candidateUlid = deriveEventUlid(account.tenant, name, type, now);
  const eventUlid = await ports.eventBodies.recordRef(conversationId, name, candidateUlid, now, update.at);
  // Before the message is edited, so that an unsend finds the stored body and deletes it.
  await ports.eventBodies.save(account.tenant, renderChange(account.tenant, eventUlid, update, conversationId));
  const change = toChange(update);
  if (change) {
    const context = { account, conversationId, messageId: update.messageId, erasure };
    const isUnsent = await applyOrDeferChange(ports, context, change, now);
    if (isUnsent && update.kind === "edit") return;
  }
  publishEvent(effects, account, { type, eventUlid });
}

const eventTypes = {
  unsend: "message.deleted",
  edit: "message.edited",
  reaction: "message.reaction",
} as const satisfies Record<ChangeUpdate["kind"], EventType>;

function renderChange(
  tenant: TenantId,
  eventUlid: string,
  update: ChangeUpdate,
  conversationId: string,
): RenderedEvent {
  const message = { id: update.messageId, conversationId, account: update.account };
  switch (update.kind) {
    case "unsend":
      return renderMessageDeleted(tenant, eventUlid, message);
    case "edit":
      return renderMessageEdited(tenant, eventUlid, message, { text: update.text, count: update.editCount });
    case "reaction":
      return renderMessageReaction(tenant, eventUlid, message, update);
  }
}

/** Null for a reaction, which changes no stored message. */
function toChange(update: ChangeUpdate): MessageChange | null {
  switch (update.kind) {
    case "unsend":
      return { unsentAt: update.at, edits: 0 };
    case "edit":
      return { edit: { text: update.text, count: update.editCount } };
    case "reaction":
      return null;
  }
}

/** Adds an event whose body is stored to the effects, unless they have it. */
export function publishEvent(
  effects: Effects,
  { tenant }: Pick<ResolvedAccount, "tenant">,
  { type, eventUlid }: { type: Parameters<typeof encodeEvent>[0]["type"]; eventUlid: string },
): void {
  // Whether it was published before is unknown. Such events are few, so fan-out can read the delivery's row.
  const body = encodeEvent({ tenant, eventUlid, type, source: null, repeated: true });
  if (effects.events.every((event) => event.body !== body)) effects.events.push({ body, group: tenant });
}
