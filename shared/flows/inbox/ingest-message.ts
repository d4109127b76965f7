import { deriveEventUlid, messageEventType } from "../../domain/events/events.ts";
import { conversationId } from "../../domain/inbox/conversations.ts";
import type { Message } from "../../domain/inbox/messages.ts";
import type { MessageUpdate } from "../../domain/inbox/updates.ts";
import { ERASURE_MARKER_TTL, RETENTION } from "../../domain/limits.ts";
import { echoSentVia } from "../../domain/sending/sends.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { ConversationSnapshot } from "../../stores/inbox/conversations.ts";
import {
  erasedSince,
  hasErasedName,
  isEchoOfEarlierSend,
  isEchoOfErasedSend,
  removeLateMessage,
} from "../erasure/late-writes.ts";
import { countMessage } from "../stats/count.ts";
import { applyPending, hasPendingChange } from "./apply-message-change.ts";
import type { Effects } from "./effects.ts";
import { messageEvent } from "./message-event.ts";
import type { IngestPorts } from "./ports.ts";
import { requestProfile } from "./profile-requests.ts";
import { reconcileEcho } from "./reconcile-echo.ts";
import type { ResolvedAccount } from "./resolve-account.ts";

/**
 * Keeps one message, in either direction, and brings its conversation's head up to it.
 * @param snapshot of its conversation, from just before
 */
export async function ingestMessage(
  ports: IngestPorts,
  account: ResolvedAccount,
  update: MessageUpdate,
  snapshot: ConversationSnapshot,
  effects: Effects,
  now: Millis,
): Promise<void> {
  if (update.at <= now - RETENTION) return;
  const message = toMessage(update, account.tenant, snapshot, now);
  const erasedAt = await conversationErasedAt(ports, account, message.conversationId, snapshot, now);
  if (erasedAt !== null && (message.sentAt <= erasedAt || isEchoOfEarlierSend(update, erasedAt))) return;
  if (erasedAt !== null && (await isEchoOfErasedSend(ports, account.tenant, message, erasedAt))) return;
  const record = update.echo
    ? await reconcileEcho(ports, account.tenant, message, update.echo, now, account.shards)
    : await ports.messages.record(account.tenant, message, now, account.shards);
  if (record.isNew && record.message.direction !== "outbound") countMessage(effects.tally, account.tenant);
  const applied = await ports.conversations.advanceHead(account.tenant, record.message, {
    accountHandle: account.handle,
    shards: account.shards,
    erasedAt,
    expiredPictureEndsAt:
      snapshot.pictureEndsAt !== null && snapshot.pictureEndsAt <= now ? snapshot.pictureEndsAt : null,
  });
  const newErasedAt = erasedSince(record, applied);
  if (newErasedAt !== null) return removeLateMessage(ports, account.tenant, record, newErasedAt);
  if (hasErasedName(record, applied)) await ports.messages.removeParticipantNames(record.ref);
  const context = { account, conversationId: message.conversationId, messageId: message.id, erasedAt };
  const hasPending = hasPendingChange(message.id, snapshot, applied.snapshot);
  // Also when the row says so already: who emptied it may have died before the head was told.
  const isUnsent = hasPending && (await applyPending(ports, context, record.ref));
  if (!isUnsent && !record.message.unsent) effects.events.push(messageEvent(account.tenant, record));
  requestProfile(effects, account.tenant, record.message, applied.snapshot, now);
}

/** When the conversation was last erased. Its head knows; one that has no head, or none any more, left a marker. */
export async function conversationErasedAt(
  ports: Pick<IngestPorts, "erasures">,
  account: ResolvedAccount,
  conversation: string,
  snapshot: ConversationSnapshot,
  now: Millis,
): Promise<Millis | null> {
  if (snapshot.exists || snapshot.erasedAt !== null) return snapshot.erasedAt;
  if (account.lastErasureAt === null || account.lastErasureAt + ERASURE_MARKER_TTL <= now) return null;
  return ports.erasures.erasedAt(conversation, now);
}

function toMessage(update: MessageUpdate, tenant: TenantId, snapshot: ConversationSnapshot, now: Millis): Message {
  const draft = {
    id: update.messageId,
    conversationId: conversationId({ tenant, account: update.account, participantId: update.participantId }),
    account: update.account,
    participant: { id: update.participantId, handle: snapshot.handle, username: snapshot.username },
    direction: update.echo ? "echo" : "inbound",
    text: update.text,
    attachments: update.attachments,
    sentAt: update.at,
    sentVia: update.echo ? echoSentVia(update.echo.appId) : "participant",
    actorId: null,
    replyTo: update.replyTo,
    scope: "live",
  } as const;
  return { ...draft, eventUlid: deriveEventUlid(tenant, draft.id, messageEventType(draft), now) };
}
