import { deriveErasureId, messageMarks } from "../../domain/erasure/erasures.ts";
import { deriveEventUlid } from "../../domain/events/events.ts";
import type { Message } from "../../domain/inbox/messages.ts";
import type { MessageUpdate } from "../../domain/inbox/updates.ts";
import { ERASURE_MARKER_TTL } from "../../domain/limits.ts";
import { isUlid, ulidTime } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { HeadAdvance } from "../../stores/inbox/conversations.ts";
import type { RecordedMessage } from "../../stores/inbox/messages.ts";
import type { LateWritePorts } from "./ports.ts";

/** When the conversation was erased that a message was just kept in, if that was after it; else null. */
export function erasedSince({ message }: RecordedMessage, { snapshot }: HeadAdvance): Millis | null {
  return snapshot.erasedAt !== null && message.sentAt <= snapshot.erasedAt ? snapshot.erasedAt : null;
}

/**
 * Takes back a message that was kept while its conversation was erased. Whoever kept it before may have announced it:
 * its event is left to the next pass of the erasure, which removes its deliveries.
 */
export async function removeLateMessage(
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
 * Whether a message names its person by what was learned before an erasure, which took that along: whoever kept it had
 * looked at the conversation just before. The head knows the name where it was learned again.
 */
export function hasErasedName({ message: { participant } }: RecordedMessage, { snapshot }: HeadAdvance): boolean {
  const hasName = participant.handle !== null || participant.username !== null;
  return hasName && snapshot.erasedAt !== null && snapshot.handle === null && snapshot.username === null;
}

/**
 * Remembers a send that the platform took after the conversation was erased, and its record with it: by this its echo is
 * known, which on Instagram names no send, though the platform stamped it later than the erasure.
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

/** Whether an echo is of a send that was so remembered. */
export async function isEchoOfErasedSend(
  { erasures }: Pick<LateWritePorts, "erasures">,
  tenant: TenantId,
  { conversationId, id, sentAt, direction }: Message,
  erasedAt: Millis,
): Promise<boolean> {
  if (direction !== "echo" || sentAt - erasedAt > STAMP_DELAY_MAX) return false;
  return erasures.isRemoved(conversationId, messageMarks(tenant, id));
}

/** The message that a change is of, and when its conversation was last erased. */
interface ChangedMessage {
  readonly account: { readonly tenant: TenantId };
  readonly conversationId: string;
  readonly messageId: string;
  readonly erasedAt: Millis | null;
}

/**
 * Whether a change, however new, is of a message that was erased with its conversation, or is about to be: it is told to
 * nobody. A message that had not come by then is not known here.
 */
export async function isChangeOfErasedMessage(
  ports: Pick<LateWritePorts, "erasures" | "messageChanges">,
  { account, conversationId, messageId, erasedAt }: ChangedMessage,
  now: Millis,
): Promise<boolean> {
  if (erasedAt === null || erasedAt + ERASURE_MARKER_TTL <= now) return false;
  const sentAt = await ports.messageChanges.getSentAt(account.tenant, conversationId, messageId);
  if (sentAt !== null) return sentAt <= erasedAt;
  return ports.erasures.isRemoved(conversationId, messageMarks(account.tenant, messageId));
}

/** A platform stamps a message within so much of the send's beginning; metadata of other apps may look like ours. */
const STAMP_DELAY_MAX: Millis = MINUTE;

/** Whether an echo is of a send of ours that began before the conversation was erased, though it was stamped after. */
export function isEchoOfEarlierSend({ echo, at }: MessageUpdate, erasedAt: Millis): boolean {
  if (!echo?.metadata || !isUlid(echo.metadata)) return false;
  const startedAt = ulidTime(echo.metadata);
  return startedAt <= erasedAt && at - startedAt <= STAMP_DELAY_MAX;
}
