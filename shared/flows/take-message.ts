import { conversationId } from "../domain/conversations.ts";
import { eventUlidOf, typeOfMessageEvent } from "../domain/events.ts";
import { ERASURE_MARKER_LIFE, RETENTION } from "../domain/limits.ts";
import type { Message } from "../domain/messages.ts";
import type { MessageUpdate } from "../domain/updates.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { Millis } from "../kernel/time.ts";
import type { Applied, Glimpse } from "../table/conversations.ts";
import type { Recorded } from "../table/messages.ts";
import type { AccountHome } from "./account-homes.ts";
import { announcementOf } from "./announcement.ts";
import type { Effects } from "./effects.ts";
import type { IngestPorts } from "./ports.ts";

/**
 * Keeps one message, in either direction, and brings its conversation's head up to it.
 * @param glimpse of its conversation, from just before
 */
export async function takeMessage(
  ports: IngestPorts,
  home: AccountHome,
  update: MessageUpdate,
  glimpse: Glimpse,
  effects: Effects,
  now: Millis,
): Promise<void> {
  if (update.at <= now - RETENTION) return;
  const message = messageFrom(update, home.tenant, glimpse, now);
  const erasedAt = await erasureBefore(ports, home, message.conversationId, glimpse, now);
  if (erasedAt !== null && message.sentAt <= erasedAt) return;
  const kept = update.echo
    ? await ports.outboundMessages.record(home.tenant, message, now, home.shards)
    : await ports.messages.record(home.tenant, message, now, home.shards);
  const applied = await ports.conversations.apply(home.tenant, kept.message, {
    accountHandle: home.handle,
    shards: home.shards,
    erasedAt,
  });
  if (isErased(kept, applied)) {
    await ports.messages.remove(home.tenant, kept.ref);
    return;
  }
  effects.announcements.push(announcementOf(home.tenant, kept));
}

/** When the conversation was last erased. Its head knows; one that has no head, or none any more, left a marker. */
async function erasureBefore(
  ports: Pick<IngestPorts, "erasures">,
  home: AccountHome,
  conversation: string,
  glimpse: Glimpse,
  now: Millis,
): Promise<Millis | null> {
  if (glimpse.exists || glimpse.erasedAt !== null) return glimpse.erasedAt;
  if (home.lastErasureAt === null || home.lastErasureAt + ERASURE_MARKER_LIFE <= now) return null;
  return ports.erasures.erasedAt(conversation, now);
}

/** An erasure came between the glimpse and now. */
function isErased(kept: Recorded, { glimpse }: Applied): boolean {
  return glimpse.erasedAt !== null && kept.message.sentAt <= glimpse.erasedAt;
}

function messageFrom(update: MessageUpdate, tenant: TenantId, glimpse: Glimpse, now: Millis): Message {
  const draft = {
    id: update.messageId,
    conversationId: conversationId({ tenant, account: update.account, participantId: update.participantId }),
    account: update.account,
    participant: { id: update.participantId, handle: glimpse.handle, username: glimpse.username },
    direction: update.echo ? "echo" : "inbound",
    text: update.text,
    attachments: update.attachments,
    sentAt: update.at,
    sentVia: update.echo ? senderOf(update.echo.appId) : "participant",
    actorId: null,
    replyTo: update.replyTo,
    scope: "live",
  } as const;
  return { ...draft, eventUlid: eventUlidOf(tenant, draft.id, typeOfMessageEvent(draft), now) };
}

/** The page inbox, and Instagram's own app, which names itself not at all, are native; any other app is another app. */
const PAGE_INBOX_APP = "26390203743090";

function senderOf(appId: string | null): "native_app" | "other_app" {
  return appId === null || appId === PAGE_INBOX_APP ? "native_app" : "other_app";
}
