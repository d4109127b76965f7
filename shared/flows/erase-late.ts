import { erasureIdOf } from "../domain/erasures.ts";
import type { MessageUpdate } from "../domain/updates.ts";
import { isUlid, timeOfUlid } from "../kernel/ids.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { MINUTE, type Millis } from "../kernel/time.ts";
import type { Applied } from "../table/conversations.ts";
import type { Recorded } from "../table/messages.ts";
import type { SendPorts } from "./ports.ts";

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

/** A platform stamps a message within so much of the send's beginning; metadata of other apps may look like ours. */
const STAMPED_WITHIN: Millis = MINUTE;

/** Whether an echo is of a send of ours that began before the conversation was erased, though it was stamped after. */
export function isOfSendBefore({ echo, at }: MessageUpdate, erasedAt: Millis): boolean {
  if (!echo?.metadata || !isUlid(echo.metadata)) return false;
  const begunAt = timeOfUlid(echo.metadata);
  return begunAt <= erasedAt && at - begunAt <= STAMPED_WITHIN;
}
