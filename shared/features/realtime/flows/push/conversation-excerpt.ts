import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { type ConversationHead, type Message, type MessageRef, messageRefKey } from "#features/inbox/rules/messages.ts";
import type { ConversationExcerpt } from "#features/inbox/store/conversations.ts";
import type { PushPorts } from "./ports.ts";

/** How long after an erasure of the tenant conversations are read consistently. Reads are behind by seconds at most. */
const ERASURE_IS_RECENT: Millis = 5 * MINUTE;

/** The messages of one conversation that events are about. */
interface ConversationEvents {
  readonly tenant: TenantId;
  readonly conversationId: string;
  readonly refs: readonly MessageRef[];
  /** The newest erasure of the tenant. */
  readonly erasedAt: Millis | null;
  readonly now: Millis;
}

/** A conversation as its events require it. */
interface CurrentConversation {
  readonly head: ConversationHead;
  /** By `messageRefKey`. A message that is gone or unsent is absent. */
  readonly messages: ReadonlyMap<string, Message>;
}

/**
 * Reads a conversation's head with the messages that were published, usually in one query at half the price: the events
 * say what the answer must contain. An answer without it is behind, and is read again consistently.
 * @returns null when the conversation is erased or over
 */
export async function readForEvents(
  ports: Pick<PushPorts, "conversations" | "messages">,
  { tenant, conversationId, refs, erasedAt, now }: ConversationEvents,
): Promise<CurrentConversation | null> {
  const isRecentlyErased = erasedAt !== null && erasedAt > now - ERASURE_IS_RECENT;
  const read = (consistent: boolean) =>
    ports.conversations.getNewest(tenant, { conversationId, limit: refs.length, now, consistent });
  const first = await read(isRecentlyErased);
  const excerpt = isRecentlyErased || isCurrent(first, refs) ? first : await read(true);
  const { head, erasedAt: headErasedAt } = excerpt;
  if (!head) return null;
  const missing = refs.filter(({ position }) => !excerpt.messages.has(position));
  const others = missing.length > 0 ? await ports.messages.getByRefs(tenant, missing) : new Map<string, Message>();
  const messages = refs.flatMap((ref): [string, Message][] => {
    const message = excerpt.messages.get(ref.position) ?? others.get(messageRefKey(ref));
    const isErased = message !== undefined && headErasedAt !== null && message.sentAt <= headErasedAt;
    return message === undefined || isErased || message.unsentAt !== undefined ? [] : [[messageRefKey(ref), message]];
  });
  return { head, messages: new Map(messages) };
}

/** Whether a conversation has the messages, and a head that is not older than any of them. */
function isCurrent({ head, messages }: ConversationExcerpt, refs: readonly MessageRef[]): boolean {
  return (
    head !== null &&
    refs.every(({ position }) => {
      const message = messages.get(position);
      return message !== undefined && (message.scope === "test" || head.lastAt >= message.sentAt);
    })
  );
}
