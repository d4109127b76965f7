import { deriveEventUlid } from "#base/events/events.ts";
import { isUlid, ulidTime } from "#base/kernel/ids.ts";
import { ERASURE_MARKER_TTL } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Message } from "#features/inbox/rules/messages.ts";
import type { ChangeUpdate, MessageUpdate, ReferralUpdate } from "#features/inbox/rules/updates.ts";
import type { ConversationSnapshot, HeadAdvance } from "#features/inbox/store/conversations.ts";
import type { RecordedMessage } from "#features/inbox/store/messages.ts";
import type { OutboundMessages } from "#features/inbox/store/outbound-messages.ts";
import type { LateWritePorts } from "./ports.ts";
import { deriveErasureId, messageMarks } from "./rules/erasures.ts";

// An erasure may run beside the record of an update, so ingest asks about it at five times. None of the answers follows
// from another one: each is about a later time, or is read from another row.
//
// - Before an update is written, `coversUpdate`: whether the erasure covers it, by its time or by its message.
// - After a change of a stored message, `covers`: whether the message is from before the erasure. Its own ingest, which
//   removes it, may not know of the erasure yet. `covers(now)` says that the erasure's clock is ahead of this process's.
// - After a change of a message that is not stored, `wasRemoved`: whether its mark is. No row has the message's time.
// - After an echo is written, `undoRemovedEcho`: `coversUpdate` again. The erasure stores its marks before it removes a
//   message, and may have stored them after the first answer.
// - After a message's head is advanced, `undoLateWrite`: whether the head, as that write returns it, has an erasure that
//   covers the message. It may have started after all of the above.

/** What is known of the last erasure of a conversation before an update of it is written. */
export interface ConversationErasure {
  /** When the conversation was last erased; null when it was not, or when the erasure's marker has expired. */
  readonly erasedAt: Millis | null;
  /** Whether a message of that time is from before the erasure. */
  covers(sentAt: Millis): boolean;
  /** Whether a message was removed by the erasure, or dropped because of it, read consistently. */
  wasRemoved(messageId: string): Promise<boolean>;
  /** Whether an update is from before the erasure, or is a change of a message from before it, and must be dropped. */
  coversUpdate(update: RecordedUpdate): Promise<boolean>;
  /** Stores a mark of a message that is dropped, by which its later changes are recognized and dropped too. */
  markDropped(message: Pick<Message, "eventUlid">): Promise<void>;
}

/** An update that leaves rows in its conversation. */
type RecordedUpdate = MessageUpdate | ChangeUpdate | ReferralUpdate;

/** How an update is recorded. */
interface Recording<Result> {
  /** Runs instead of `record` where the update is dropped. */
  readonly onDrop?: (erasure: ConversationErasure) => Promise<void>;
  /**
   * Stores the update. An erasure may run beside it, so this checks what it stored.
   * @returns `erased` where the erasure covers what was stored, which is removed then
   */
  readonly record: (erasure: ConversationErasure) => Promise<Result | "erased">;
}

/**
 * Records an update unless an erasure of its conversation covers it.
 * @returns what `record` returned; `erased` where the update was dropped or removed again, and must not be published
 */
export async function recordUnlessErased<Result>(
  ports: Pick<LateWritePorts, "erasures" | "messageChanges">,
  update: RecordedUpdate,
  conversation: ConversationRead,
  { record, onDrop }: Recording<Result>,
): Promise<Result | "erased"> {
  const erasure = await conversationErasure(ports, conversation);
  if (!(await erasure.coversUpdate(update))) return record(erasure);
  await onDrop?.(erasure);
  return "erased";
}

/** A conversation as it was read before an update of it. */
interface ConversationRead {
  /** The tenant, with the time of its newest erasure in any conversation. */
  readonly account: { readonly tenant: TenantId; readonly lastErasureAt: Millis | null };
  readonly conversationId: string;
  readonly snapshot: Pick<ConversationSnapshot, "exists" | "erasedAt">;
  readonly now: Millis;
}

/**
 * Reads the last erasure of a conversation. The head has it. A conversation without a head may have left a marker,
 * which is read only where the tenant erased anything within the marker's lifetime.
 */
async function conversationErasure(
  ports: Pick<LateWritePorts, "erasures" | "messageChanges">,
  { account: { tenant, lastErasureAt }, conversationId, snapshot, now }: ConversationRead,
): Promise<ConversationErasure> {
  const mayHaveMarker = lastErasureAt !== null && lastErasureAt + ERASURE_MARKER_TTL > now;
  const erasedAt =
    snapshot.exists || snapshot.erasedAt !== null || !mayHaveMarker
      ? snapshot.erasedAt
      : await ports.erasures.erasedAt(conversationId, now);
  const markerExists = erasedAt !== null && erasedAt + ERASURE_MARKER_TTL > now;
  const wasRemoved = async (messageId: string) =>
    markerExists && ports.erasures.isRemoved(conversationId, messageMarks(tenant, messageId));

  const isOfRemovedMessage = async (update: RecordedUpdate, erasedAt: Millis) => {
    if (update.kind === "referral") return false;
    if (update.kind === "message") {
      if (isEchoOfEarlierSend(update, erasedAt)) return true;
      // An echo on Instagram names no send. `markErasedSend` stored a mark of it.
      const mayBeEarlierSend = update.echo !== null && update.at - erasedAt <= STAMP_DELAY_MAX;
      return mayBeEarlierSend && wasRemoved(update.messageId);
    }
    if (!markerExists) return false;
    const sentAt = await ports.messageChanges.getSentAt(tenant, conversationId, update.messageId);
    return sentAt === null ? wasRemoved(update.messageId) : sentAt <= erasedAt;
  };

  return {
    erasedAt,
    covers: (sentAt) => erasedAt !== null && sentAt <= erasedAt,
    wasRemoved,
    async coversUpdate(update) {
      return erasedAt !== null && (update.at <= erasedAt || isOfRemovedMessage(update, erasedAt));
    },
    async markDropped({ eventUlid }) {
      if (erasedAt === null) return;
      await ports.erasures.saveMark({ id: deriveErasureId(conversationId), erasedAt }, eventUlid);
    },
  };
}

/** The longest time between the start of a send and its timestamp on the platform. */
const STAMP_DELAY_MAX: Millis = MINUTE;

/**
 * Whether an echo is of a send that started before the erasure and was stamped after it. The metadata of another app
 * may look like ours, so the two times must be close.
 */
function isEchoOfEarlierSend({ echo, at }: MessageUpdate, erasedAt: Millis): boolean {
  if (!echo?.metadata || !isUlid(echo.metadata)) return false;
  const startedAt = ulidTime(echo.metadata);
  return startedAt <= erasedAt && at - startedAt <= STAMP_DELAY_MAX;
}

/**
 * Undoes what a message write must not leave where an erasure ran beside it: the message itself, or the person's names,
 * which the writer had read before the erasure removed them.
 * @param advance of the conversation's head, after the write
 * @returns whether the message was removed
 */
export async function undoLateWrite(
  ports: Pick<LateWritePorts, "messages" | "erasures">,
  tenant: TenantId,
  record: RecordedMessage,
  { snapshot }: HeadAdvance,
): Promise<boolean> {
  const { erasedAt, handle, username, name } = snapshot;
  if (erasedAt === null) return false;
  if (record.message.sentAt <= erasedAt) {
    await removeLateMessage(ports, tenant, record, erasedAt);
    return true;
  }
  const { participant } = record.message;
  const hasName = participant.handle !== null || participant.username !== null || participant.name !== null;
  // A name on the head was looked up again after the erasure.
  if (hasName && handle === null && username === null && name === null)
    await ports.messages.removeParticipantNames(record.ref);
  return false;
}

/**
 * Undoes an echo whose message an erasure removed after the echo was checked and before it was stored. Runs before the
 * conversation's head shows it. The erasure stores its marks before it removes a message, so a second check finds it.
 * @returns whether the echo was removed
 */
export async function undoRemovedEcho(
  ports: UndoSendPorts,
  tenant: TenantId,
  { update, record, erasure }: { update: MessageUpdate; record: RecordedMessage; erasure: ConversationErasure },
): Promise<boolean> {
  if (!update.echo || erasure.erasedAt === null || !(await erasure.coversUpdate(update))) return false;
  await removeLateMessage(ports, tenant, record, erasure.erasedAt);
  await ports.outboundMessages.removeMarker(record.message);
  return true;
}

type UndoSendPorts = Pick<LateWritePorts, "messages" | "erasures"> & {
  readonly outboundMessages: Pick<OutboundMessages, "removeMarker">;
};

/**
 * Undoes the message of a send whose conversation is gone, where an erasure removed it and is over. Without an erasure
 * nothing is undone.
 * @param writtenAt the time that decides: the start of the send, or the time of the echo that had stored the message
 * @returns whether the message was removed
 */
export async function undoErasedSend(
  ports: UndoSendPorts,
  tenant: TenantId,
  record: RecordedMessage,
  writtenAt: Millis = record.message.sentAt,
): Promise<boolean> {
  const { message } = record;
  const erasedAt = await ports.erasures.erasedAt(message.conversationId, writtenAt);
  if (erasedAt === null || writtenAt > erasedAt) return false;
  await removeLateMessage(ports, tenant, record, erasedAt);
  await ports.outboundMessages.removeMarker(message);
  return true;
}

/**
 * Removes a message that was stored while its conversation was erased. An earlier run may have published it: its event
 * is saved for the next pass of the erasure, which removes the deliveries.
 */
async function removeLateMessage(
  ports: Pick<LateWritePorts, "messages" | "erasures">,
  tenant: TenantId,
  { message, ref }: RecordedMessage,
  erasedAt: Millis,
): Promise<void> {
  const erased = { id: deriveErasureId(message.conversationId), erasedAt };
  await ports.erasures.saveEvents(erased, { ulids: [message.eventUlid], bodies: [] });
  await ports.messages.remove(tenant, ref);
}

/**
 * Stores a mark of a send that the platform accepted after the conversation and the send's record were erased. Its echo
 * is recognized by the mark: the platform stamps the echo after the erasure, and on Instagram the echo names no send.
 */
export async function markErasedSend(
  { erasures }: Pick<LateWritePorts, "erasures">,
  tenant: TenantId,
  { conversationId, id, sentAt }: Message,
): Promise<void> {
  const erasedAt = await erasures.erasedAt(conversationId, sentAt);
  if (erasedAt === null) return;
  const ulids = [deriveEventUlid(tenant, id, "message.sent", sentAt)];
  await erasures.saveEvents({ id: deriveErasureId(conversationId), erasedAt }, { ulids, bodies: [] });
}
