import { eventUlidOf, typeOfMessageEvent } from "../../domain/events/events.ts";
import { conversationId } from "../../domain/inbox/conversations.ts";
import type { Message } from "../../domain/inbox/messages.ts";
import type { MessageUpdate } from "../../domain/inbox/updates.ts";
import { ERASURE_MARKER_LIFE, RETENTION } from "../../domain/limits.ts";
import { viaOfEcho } from "../../domain/sending/sends.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Glimpse } from "../../stores/inbox/conversations.ts";
import { erasedSince, isOfErasedSend, isOfSendBefore, namesAsBefore, takeBack } from "../erasure/late-writes.ts";
import type { IngestPorts } from "../ports.ts";
import { countMessage } from "../stats/count.ts";
import { isAwaited, settleEarly } from "./apply-message-change.ts";
import type { Effects } from "./effects.ts";
import { keepEcho } from "./match-echo.ts";
import { announcementOf } from "./message-event.ts";
import { requestProfile } from "./profile-requests.ts";
import type { AccountHome } from "./resolve-account.ts";

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
  if (erasedAt !== null && (message.sentAt <= erasedAt || isOfSendBefore(update, erasedAt))) return;
  if (erasedAt !== null && (await isOfErasedSend(ports, home.tenant, message, erasedAt))) return;
  const kept = update.echo
    ? await keepEcho(ports, home.tenant, message, update.echo, now, home.shards)
    : await ports.messages.record(home.tenant, message, now, home.shards);
  if (kept.fresh && kept.message.direction !== "outbound") countMessage(effects.stored, home.tenant);
  const applied = await ports.conversations.apply(home.tenant, kept.message, {
    accountHandle: home.handle,
    shards: home.shards,
    erasedAt,
    endedPicture: glimpse.pictureEndsAt !== null && glimpse.pictureEndsAt <= now ? glimpse.pictureEndsAt : null,
  });
  const erasedMeanwhile = erasedSince(kept, applied);
  if (erasedMeanwhile !== null) return takeBack(ports, home.tenant, kept, erasedMeanwhile);
  if (namesAsBefore(kept, applied)) await ports.messages.forgetPerson(kept.ref);
  const scene = { home, conversationId: message.conversationId, messageId: message.id, erasedAt };
  const awaited = isAwaited(message.id, glimpse, applied.glimpse);
  // Also when the row says so already: who emptied it may have died before the head was told.
  const unsent = awaited && (await settleEarly(ports, scene, kept.ref));
  if (!unsent && !kept.message.unsent) effects.announcements.push(announcementOf(home.tenant, kept));
  requestProfile(effects, home.tenant, kept.message, applied.glimpse, now);
}

/** When the conversation was last erased. Its head knows; one that has no head, or none any more, left a marker. */
export async function erasureBefore(
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
    sentVia: update.echo ? viaOfEcho(update.echo.appId) : "participant",
    actorId: null,
    replyTo: update.replyTo,
    scope: "live",
  } as const;
  return { ...draft, eventUlid: eventUlidOf(tenant, draft.id, typeOfMessageEvent(draft), now) };
}
