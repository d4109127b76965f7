import { deriveEventUlid, type EventType, type RenderedEvent } from "#base/events/events.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { conversationErasure } from "#features/erasure/late-writes.ts";
import { publishStoredEvent } from "../effects.ts";
import { renderMessageDeleted } from "../events/message-deleted.ts";
import { renderMessageEdited } from "../events/message-edited.ts";
import { renderMessageReaction } from "../events/message-reaction.ts";
import type { IngestPorts } from "../ports.ts";
import { conversationId as idOfConversation } from "../rules/conversations.ts";
import { changeKey, toReaction } from "../rules/message-changes.ts";
import type { ChangeUpdate } from "../rules/updates.ts";
import { applyOrDeferChange, type MessageChange } from "./pending-changes.ts";
import type { UpdateContext } from "./update-context.ts";

/**
 * Applies an unsend, an edit or a reaction and publishes its event once, even where the message has not arrived. The
 * edit of a message that is known to be unsent, or a reaction to it, is not published.
 */
export async function applyMessageChange(
  ports: IngestPorts,
  update: ChangeUpdate,
  context: UpdateContext,
): Promise<void> {
  const { account, now } = context;
  if (update.at <= now - RETENTION) return;
  const conversationId = idOfConversation({ ...update, tenant: account.tenant });
  const erasure = await conversationErasure(ports, { ...context, conversationId });
  if (await erasure.coversChange(update)) return;

  const name = changeKey(update);
  const type = eventTypes[update.kind];
  const candidateUlid = deriveEventUlid(account.tenant, name, type, now);
  // The platform's clock may be ahead of ours, but an erasure that starts from now on is later than this change.
  const changedAt = erasure.covers(now) ? update.at : Math.min(update.at, now);
  const ref = { changeName: name, eventUlid: candidateUlid, changedAt };
  const eventUlid = await ports.eventBodies.recordRef(conversationId, ref, now);
  // Before the message is edited, so that an unsend finds the stored body and deletes it.
  await ports.eventBodies.save(account.tenant, renderChange(account.tenant, eventUlid, update, conversationId));
  const changeContext = { account, conversationId, messageId: update.messageId, erasure, now };
  const result = await applyOrDeferChange(ports, changeContext, toChange(update));
  if (result === "erased") {
    const ownChange = { changeNames: [name], eventUlids: [eventUlid] };
    return ports.eventBodies.removeChanges(account.tenant, conversationId, ownChange);
  }
  if (result === "unsent" && update.kind === "edit") return;
  if (result === "unsent" && update.kind === "reaction") {
    return ports.eventBodies.deleteBodies(account.tenant, conversationId, [name]);
  }
  publishStoredEvent(context.effects, { tenant: account.tenant, type, eventUlid });
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
      return renderMessageDeleted(tenant, eventUlid, message, update);
    case "edit":
      return renderMessageEdited(tenant, eventUlid, message, update);
    case "reaction":
      return renderMessageReaction(tenant, eventUlid, message, update);
  }
}

function toChange(update: ChangeUpdate): MessageChange {
  switch (update.kind) {
    case "unsend":
      return { unsentAt: update.at, edits: 0 };
    case "edit":
      return { edit: { text: update.text, count: update.editCount, at: update.at } };
    case "reaction":
      return { reaction: toReaction(update) };
  }
}
