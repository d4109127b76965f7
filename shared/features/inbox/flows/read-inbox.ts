import { allDone } from "#base/kernel/parallel.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { InboxPorts } from "../ports.ts";
import {
  type ConversationHead,
  type Direction,
  type Message,
  malformedConversationId,
  parseConversationId,
} from "../rules/messages.ts";
import type { MessagePage } from "../store/messages.ts";

interface PageQuery {
  readonly before: string | null;
  readonly limit: number;
}

/** Reads one conversation with its newest messages, or an older page of them. */
export async function readConversation(
  ports: InboxPorts,
  tenant: TenantId,
  query: PageQuery & { conversationId: string; includeTest: boolean },
  now: Millis,
): Promise<{ head: ConversationHead; page: MessagePage } | Refusal<"conversation_not_found" | "conversation_id_cut">> {
  const { conversationId, before } = query;
  if (!parseConversationId(tenant, conversationId)) return malformedConversationId(conversationId);
  if (before === null) {
    return (await ports.conversations.getWithMessages(tenant, { ...query, now })) ?? refuse("conversation_not_found");
  }
  const [head, page] = await allDone([
    ports.conversations.get(tenant, conversationId, now),
    ports.messages.listByConversation(tenant, { ...query, before, direction: null, now }),
  ]);
  return head ? { head, page } : refuse("conversation_not_found");
}

/** Lists the messages of a tenant or of one conversation, newest first. */
export async function listMessages(
  ports: InboxPorts,
  tenant: TenantId,
  query: PageQuery & { conversationId: string | null; direction: Direction | null; includeTest: boolean },
  now: Millis,
): Promise<MessagePage | Refusal<"conversation_not_found" | "conversation_id_cut">> {
  const { conversationId, direction, before, limit, includeTest } = query;
  if (conversationId !== null) {
    if (!parseConversationId(tenant, conversationId)) return malformedConversationId(conversationId);
    const head = await ports.conversations.get(tenant, conversationId, now);
    if (!head) return refuse("conversation_not_found");
    return ports.messages.listByConversation(tenant, { conversationId, direction, includeTest, before, limit, now });
  }
  return ports.messages.feed(tenant, { includeTest, direction, before, limit, now });
}

/** Reads one message by the platform's id. A test message is found only with `includeTest`. */
export async function getMessage(
  ports: Pick<InboxPorts, "messages">,
  tenant: TenantId,
  query: { messageId: string; includeTest: boolean },
  now: Millis,
): Promise<Message | Refusal<"message_not_found">> {
  const message = await ports.messages.getById(tenant, query.messageId, now);
  if (!message || (message.scope === "test" && !query.includeTest)) return refuse("message_not_found");
  return message;
}
