import { type Conversation, millis } from "../../data/types.ts";

/** The holds that frames reported, by id. One that ended stays, because frames come in any order. */
export type SeenHolds = ReadonlyMap<string, SeenHold>;

interface SeenHold {
  readonly conversation: string;
  /** Epoch milliseconds. */
  readonly endsAt: number;
  readonly isOpen: boolean;
}

interface HoldFrame {
  readonly id: string;
  readonly status: string;
  readonly conversation_id: string;
  readonly expires_at: string;
}

/** Adds what a frame reports. */
export function withHold(holds: SeenHolds, frame: HoldFrame): SeenHolds {
  const before = holds.get(frame.id);
  const isOpen = frame.status === "awaiting_verification" && before?.isOpen !== false;
  if (before?.isOpen === isOpen) return holds;
  const seen = { conversation: frame.conversation_id, endsAt: millis(frame.expires_at), isOpen };
  return new Map(holds).set(frame.id, seen);
}

/**
 * Whether a message that somebody else typed waits for its check.
 * @param ownIds the holds of this person's page
 * @param now the server's time in epoch milliseconds
 */
export function isHeldByOther(
  holds: SeenHolds,
  { id }: Pick<Conversation, "id">,
  { ownIds, now }: { ownIds: { has(id: string): boolean }; now: number },
): boolean {
  return [...holds].some(
    ([holdId, { conversation, endsAt, isOpen }]) =>
      conversation === id && isOpen && endsAt > now && !ownIds.has(holdId),
  );
}
