import { type Parley, ParleyError } from "#client";
import { MINUTE } from "../data/durations.ts";
import { millis } from "../data/types.ts";
import type { SeenHolds } from "../inbox/composer/other-holds.ts";

/** A message is held this long. */
const HOLD_LASTS = 15 * MINUTE;
/** Each is a request. */
const HOLDS_MAX = 20;

/**
 * The messages that wait for their check, also those of programs: the audit log names those of the last 15 minutes, and each is
 * read. @param now the server's time in epoch milliseconds
 */
export async function readHolds(parley: Pick<Parley, "audit" | "messages">, now: number): Promise<SeenHolds> {
  const from = new Date(now - HOLD_LASTS).toISOString();
  const { audit } = await parley.audit.list({ action: "hold.create", from, limit: HOLDS_MAX });
  const ids = audit.flatMap(({ action, resource }) =>
    action === "hold.create" && resource.startsWith("hold:") ? [resource.slice("hold:".length)] : [],
  );
  const holds = await Promise.all(
    ids.slice(0, HOLDS_MAX).map(async (id) => {
      try {
        return (await parley.messages.getHold(id)).hold;
      } catch (error) {
        // Its conversation was erased, or it is older than it can be read.
        if (error instanceof ParleyError && error.status === 404) return null;
        throw error;
      }
    }),
  );
  return new Map(
    holds.flatMap((hold) =>
      hold === null
        ? []
        : [
            [
              hold.id,
              {
                conversation: hold.conversation_id,
                endsAt: millis(hold.expires_at),
                isOpen: hold.status === "awaiting_verification",
              },
            ],
          ],
    ),
  );
}
