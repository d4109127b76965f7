import { eventUlidOf, renderEvent } from "../../domain/events/events.ts";
import { type ChangeUpdate, eventOfChange, nameOfChange } from "../../domain/events/message-changes.ts";
import { conversationId as idOfConversation } from "../../domain/inbox/conversations.ts";
import { RETENTION } from "../../domain/limits.ts";
import type { Millis } from "../../kernel/time.ts";
import { writeEvent } from "../../queues/messages.ts";
import type { Glimpse } from "../../stores/inbox/conversations.ts";
import { isOfErased } from "../erasure/late-writes.ts";
import type { IngestPorts } from "../ports.ts";
import { type Change, changeMessage } from "./apply-message-change.ts";
import type { Effects } from "./effects.ts";
import { erasureBefore } from "./ingest-message.ts";
import type { AccountHome } from "./resolve-account.ts";

/**
 * Takes what happened to a message after it was sent: it was unsent, edited, or reacted to. Each is announced once,
 * also when the message has not come yet; but of a message that is known to be unsent no edit is told any more.
 * @param glimpse of its conversation, from just before
 */
export async function takeChange(
  ports: IngestPorts,
  home: AccountHome,
  update: ChangeUpdate,
  glimpse: Glimpse,
  effects: Effects,
  now: Millis,
): Promise<void> {
  if (update.at <= now - RETENTION) return;
  const conversationId = idOfConversation({ ...update, tenant: home.tenant });
  const erasedAt = await erasureBefore(ports, home, conversationId, glimpse, now);
  if (erasedAt !== null && update.at <= erasedAt) return;
  const scene = { home, conversationId, messageId: update.messageId, erasedAt };
  if (await isOfErased(ports, scene, now)) return;

  const name = nameOfChange(update);
  const { type, data } = eventOfChange(update, conversationId);
  const minted = eventUlidOf(home.tenant, name, type, now);
  const eventUlid = await ports.eventBodies.note(conversationId, name, minted, now, update.at);
  // Before the message is edited: whoever unsends it then finds the body to forget.
  await ports.eventBodies.keep(home.tenant, renderEvent(home.tenant, eventUlid, type, data));
  const change = changeOf(update);
  if (change) {
    const unsent = await changeMessage(ports, scene, change, now);
    if (unsent && update.kind === "edit") return;
  }
  announce(effects, home, { type, eventUlid });
}

/** A reaction changes nothing that is kept. */
function changeOf(update: ChangeUpdate): Change | null {
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
export function announce(
  effects: Effects,
  { tenant }: Pick<AccountHome, "tenant">,
  { type, eventUlid }: { type: Parameters<typeof writeEvent>[0]["type"]; eventUlid: string },
): void {
  // Whether it was announced before is not known: these are few, and the delivery's row tells.
  const body = writeEvent({ tenant, eventUlid, type, source: null, repeated: true });
  if (effects.announcements.every((known) => known.body !== body)) effects.announcements.push({ body, group: tenant });
}
