import { daysBetween } from "../../common/times.ts";
import { type Message, millis } from "../../data/types.ts";

/** What a thread shows, from top to bottom. */
export type ThreadItem =
  | { readonly kind: "start"; readonly key: "start" }
  | { readonly kind: "day"; readonly key: string; readonly at: number }
  | { readonly kind: "new"; readonly key: "new" }
  | {
      readonly kind: "message";
      readonly key: string;
      readonly message: Message;
      readonly isFirst: boolean;
      readonly isLast: boolean;
    }
  | { readonly kind: "outgoing"; readonly key: "outgoing" };

/** When a person looks at a thread: times of messages, in epoch milliseconds. */
export interface Look {
  /** The newest message that they saw when they looked before. */
  readonly seenUntil: number;
  /** The newest message when they came; null while it is being fetched. What comes later, they see arrive. */
  readonly cameAt: number | null;
}

const GROUP_MS = 5 * 60_000;

/**
 * The items of a thread: days, the line before what is new, and messages in groups of one author and five minutes.
 * @param messages oldest first
 * @param look what was new when the person came to look; null when this is not known
 */
export function threadItems(messages: readonly Message[], look: Look | null): ThreadItem[] {
  const items: ThreadItem[] = [{ kind: "start", key: "start" }];
  let isNewShown = look === null;
  messages.forEach((message, index) => {
    const at = millis(message.sent_at);
    const before = messages[index - 1];
    const after = messages[index + 1];
    if (!before || daysBetween(millis(before.sent_at), at) !== 0) items.push({ kind: "day", key: `day ${at}`, at });
    if (!isNewShown && message.direction === "inbound" && look !== null && isNew(look, at)) {
      isNewShown = true;
      // A whole thread that is new needs no line.
      if (before) items.push({ kind: "new", key: "new" });
    }
    const isFirst = !before || !isSameGroup(before, message);
    const isLast = !after || !isSameGroup(message, after);
    items.push({ kind: "message", key: message.id, message, isFirst, isLast });
  });
  items.push({ kind: "outgoing", key: "outgoing" });
  return items;
}

function isNew({ seenUntil, cameAt }: Look, at: number): boolean {
  return at > seenUntil && (cameAt === null || at <= cameAt);
}

function isSameGroup(earlier: Message, later: Message): boolean {
  const [from, to] = [millis(earlier.sent_at), millis(later.sent_at)];
  const hasSameAuthor =
    earlier.direction === later.direction && earlier.sent_via === later.sent_via && earlier.actor_id === later.actor_id;
  return hasSameAuthor && to - from < GROUP_MS && daysBetween(from, to) === 0;
}
