import { deriveEventUlid, type EventType, type RenderedEvent } from "../../domain/events/events.ts";
import { type ChangeUpdate, changeKey } from "../../domain/events/message-changes.ts";
import { conversationId as idOfConversation } from "../../domain/inbox/conversations.ts";
import { RETENTION } from "../../domain/limits.ts";
import { renderMessageDeleted } from "../../events/message-deleted.ts";
import { renderMessageEdited } from "../../events/message-edited.ts";
import { renderMessageReaction } from "../../events/message-reaction.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { encodeEvent } from "../../queues/messages.ts";
import type { ConversationSnapshot } from "../../stores/inbox/conversations.ts";
import { isChangeOfErasedMessage } from "../erasure/late-writes.ts";
import { applyOrDeferChange, type MessageChange } from "./apply-message-change.ts";
import type { Effects } from "./effects.ts";
import { conversationErasedAt } from "./ingest-message.ts";
import type { IngestPorts } from "./ports.ts";
import type { ResolvedAccount } from "./resolve-account.ts";

/**
 * Takes what happened to a message after it was sent: it was unsent, edited, or reacted to. Each is announced once,
 * also when the message has not come yet; but of a message that is known to be unsent no edit is told any more.
 * @param snapshot of its conversation, from just before
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
  const erasedAt = await conversationErasedAt(ports, account, conversationId, snapshot, now);
  if (erasedAt !== null && update.at <= erasedAt) return;
  const context = { account, conversationId, messageId: update.messageId, erasedAt };
  if (await isChangeOfErasedMessage(ports, context, now)) return;

  const name = changeKey(update);
  const type = eventTypes[update.kind];
  const candidateUlid = deriveEventUlid(account.tenant, name, type, now);
  const eventUlid = await ports.eventBodies.recordRef(conversationId, name, candidateUlid, now, update.at);
  // Before the message is edited: whoever unsends it then finds the body to forget.
  await ports.eventBodies.save(account.tenant, renderChange(account.tenant, eventUlid, update, conversationId));
  const change = toChange(update);
  if (change) {
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

/** A reaction changes nothing that is kept. */
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

/** Adds the announcement of an event whose body is kept; once for a webhook that tells of it twice. */
export function publishEvent(
  effects: Effects,
  { tenant }: Pick<ResolvedAccount, "tenant">,
  { type, eventUlid }: { type: Parameters<typeof encodeEvent>[0]["type"]; eventUlid: string },
): void {
  // Whether it was announced before is not known: these are few, and the delivery's row tells.
  const body = encodeEvent({ tenant, eventUlid, type, source: null, repeated: true });
  if (effects.events.every((event) => event.body !== body)) effects.events.push({ body, group: tenant });
}
