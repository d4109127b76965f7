import { deriveEventUlid, type EventType, type RenderedEvent } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type ConversationErasure, recordUnlessErased } from "#features/erasure/late-writes.ts";
import { publishStoredEvent } from "../effects.ts";
import { renderMessageDeleted } from "../events/message-deleted.ts";
import { renderMessageEdited } from "../events/message-edited.ts";
import { renderMessageReaction } from "../events/message-reaction.ts";
import type { IngestPorts } from "../ports.ts";
import { changeKey, toReaction } from "../rules/message-changes.ts";
import { conversationId as idOfConversation } from "../rules/messages.ts";
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
  const { tenant } = context.account;
  const conversationId = idOfConversation({ ...update, tenant });
  const result = await recordUnlessErased(
    ports,
    update,
    { ...context, conversationId },
    { record: (erasure) => storeChange(ports, { update, conversationId, erasure, context }) },
  );
  if (result === "erased" || result === "of_unsent") return;
  publishStoredEvent(context.effects, { tenant, type: eventTypes[update.kind], eventUlid: result.eventUlid });
}

/**
 * Applies a change and stores its event.
 * @returns `erased` where an erasure that ran beside this removed both; `of_unsent` where the change is of a message that
 * is unsent
 */
async function storeChange(
  ports: IngestPorts,
  {
    update,
    conversationId,
    erasure,
    context: { account, now },
  }: { update: ChangeUpdate; conversationId: string; erasure: ConversationErasure; context: UpdateContext },
): Promise<{ readonly eventUlid: string } | "erased" | "of_unsent"> {
  const { tenant } = account;
  const name = changeKey(update);
  const candidateUlid = deriveEventUlid(tenant, name, eventTypes[update.kind], now);
  // The platform's clock may be ahead of ours, but an erasure that starts from now on is later than this change.
  const changedAt = erasure.covers(now) ? update.at : Math.min(update.at, now);
  const ref = { changeName: name, eventUlid: candidateUlid, changedAt };
  const eventUlid = await ports.eventBodies.recordRef(conversationId, ref, now);
  // Before the message is edited, so that an unsend finds the stored body and deletes it.
  await ports.eventBodies.save(tenant, renderChange(tenant, eventUlid, update, conversationId));
  const changeContext = { account, conversationId, messageId: update.messageId, erasure, now };
  const result = await applyOrDeferChange(ports, changeContext, toChange(update));
  if (result === "erased") {
    const ownChange = { changeNames: [name], eventUlids: [eventUlid] };
    await ports.eventBodies.removeChanges(tenant, conversationId, ownChange);
    return "erased";
  }
  if (result === "applied" || update.kind === "unsend") return { eventUlid };
  if (update.kind === "reaction") await ports.eventBodies.deleteBodies(tenant, conversationId, [name]);
  return "of_unsent";
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
    case "edit": {
      const truncation = update.isTextTruncated ? { isTextTruncated: true as const } : {};
      return { edit: { text: update.text, ...truncation, count: update.editCount, at: update.at } };
    }
    case "reaction":
      return { reaction: toReaction(update) };
  }
}
