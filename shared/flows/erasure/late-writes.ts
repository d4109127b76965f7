import { erasureIdOf, marksOfMessage } from "../../domain/erasure/erasures.ts";
import { eventUlidOf } from "../../domain/events/events.ts";
import type { Message } from "../../domain/inbox/messages.ts";
import type { MessageUpdate } from "../../domain/inbox/updates.ts";
import { ERASURE_MARKER_LIFE } from "../../domain/limits.ts";
import { isUlid, timeOfUlid } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { Applied } from "../../stores/inbox/conversations.ts";
import type { Recorded } from "../../stores/inbox/messages.ts";
import type { Scene } from "../inbox/apply-message-change.ts";
import type { IngestPorts, SendPorts } from "../ports.ts";

type LatePorts = Pick<SendPorts, "messages" | "erasures">;

/** When the conversation was erased that a message was just kept in, if that was after it; else null. */
export function erasedSince({ message }: Recorded, { glimpse }: Applied): Millis | null {
  return glimpse.erasedAt !== null && message.sentAt <= glimpse.erasedAt ? glimpse.erasedAt : null;
}

/**
 * Takes back a message that was kept while its conversation was erased. Whoever kept it before may have announced it:
 * its event is left to the next pass of the erasure, which removes its deliveries.
 */
export async function takeBack(
  ports: LatePorts,
  tenant: TenantId,
  { message, ref }: Recorded,
  erasedAt: Millis,
): Promise<void> {
  const erased = { id: erasureIdOf(message.conversationId), erasedAt };
  await ports.erasures.keepEvents(erased, { ulids: [message.eventUlid], bodies: [] });
  await ports.messages.remove(tenant, ref);
}

/**
 * Whether a message names its person by what was learned before an erasure, which took that along: whoever kept it had
 * looked at the conversation just before. The head knows the name where it was learned again.
 */
export function namesAsBefore({ message: { participant } }: Recorded, { glimpse }: Applied): boolean {
  const named = participant.handle !== null || participant.username !== null;
  return named && glimpse.erasedAt !== null && glimpse.handle === null && glimpse.username === null;
}

/**
 * Remembers a send that the platform took after the conversation was erased, and its record with it: by this its echo is
 * known, which on Instagram names no send, though the platform stamped it later than the erasure.
 */
export async function markErasedSend(
  { erasures }: Pick<SendPorts, "erasures">,
  tenant: TenantId,
  { conversationId, id, sentAt }: Message,
): Promise<void> {
  const erasedAt = await erasures.erasedAt(conversationId, sentAt);
  if (erasedAt === null) return;
  const ulids = [eventUlidOf(tenant, id, "message.sent", sentAt)];
  await erasures.keepEvents({ id: erasureIdOf(conversationId), erasedAt }, { ulids, bodies: [] });
}

/** Whether an echo is of a send that was so remembered. */
export async function isOfErasedSend(
  { erasures }: Pick<IngestPorts, "erasures">,
  tenant: TenantId,
  { conversationId, id, sentAt, direction }: Message,
  erasedAt: Millis,
): Promise<boolean> {
  if (direction !== "echo" || sentAt - erasedAt > STAMPED_WITHIN) return false;
  return erasures.isRemoved(conversationId, marksOfMessage(tenant, id));
}

/**
 * Whether a change, however new, is of a message that was erased with its conversation, or is about to be: it is told to
 * nobody. A message that had not come by then is not known here.
 */
export async function isOfErased(
  ports: Pick<IngestPorts, "erasures" | "messageChanges">,
  { home, conversationId, messageId, erasedAt }: Scene,
  now: Millis,
): Promise<boolean> {
  if (erasedAt === null || erasedAt + ERASURE_MARKER_LIFE <= now) return false;
  const sentAt = await ports.messageChanges.sentAt(home.tenant, conversationId, messageId);
  if (sentAt !== null) return sentAt <= erasedAt;
  return ports.erasures.isRemoved(conversationId, marksOfMessage(home.tenant, messageId));
}

/** A platform stamps a message within so much of the send's beginning; metadata of other apps may look like ours. */
const STAMPED_WITHIN: Millis = MINUTE;

/** Whether an echo is of a send of ours that began before the conversation was erased, though it was stamped after. */
export function isOfSendBefore({ echo, at }: MessageUpdate, erasedAt: Millis): boolean {
  if (!echo?.metadata || !isUlid(echo.metadata)) return false;
  const begunAt = timeOfUlid(echo.metadata);
  return begunAt <= erasedAt && at - begunAt <= STAMPED_WITHIN;
}
