import * as z from "zod/mini";
import { parseAccountKey, platforms } from "../../../shared/domain/accounts/accounts.ts";
import { type ConversationHead, isUnanswered, windowAt } from "../../../shared/domain/inbox/conversations.ts";
import { inboxPredicate } from "../../../shared/domain/inbox/inbox-filter.ts";
import { readConversation } from "../../../shared/flows/inbox/read-inbox.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { isoOrNull, type Millis } from "../../../shared/kernel/time.ts";
import { queryFlag } from "../../http/fields.ts";
import { endpoint } from "../api-endpoint.ts";
import { messageSchema, toMessageResponse } from "./messages.ts";

const conversationSchema = z.object({
  id: z.string(),
  tenant_id: z.string(),
  account_handle: z.string(),
  platform: z.enum(platforms),
  participant_id: z.string(),
  participant_handle: z.nullable(z.string()),
  participant_username: z.nullable(z.string()),
  participant_name: z.nullable(z.string()),
  participant_picture: z.nullable(z.string()),
  participant_profile: z.enum(["pending", "partial", "complete", "unavailable"]),
  last_inbound_at: z.nullable(z.string()),
  last_outbound_at: z.nullable(z.string()),
  last_message_text: z.string(),
  window: z.object({
    state: z.enum(["open_24h", "human_agent_7d", "closed", "no_inbound"]),
    expires_at: z.nullable(z.string()),
  }),
  unanswered: z.boolean(),
  can_reply: z.boolean(),
  can_send_as_human_agent: z.boolean(),
});

function toConversationResponse(head: ConversationHead, now: Millis): z.infer<typeof conversationSchema> {
  const window = windowAt(head.lastInboundAt, now);
  return {
    id: head.id,
    tenant_id: head.ref.tenant,
    account_handle: head.accountHandle,
    platform: head.ref.account.platform,
    participant_id: head.ref.participantId,
    participant_handle: head.participantHandle,
    participant_username: head.participantUsername,
    participant_name: head.participantName,
    participant_picture: head.participantPicture,
    participant_profile: head.participantProfile,
    last_inbound_at: isoOrNull(head.lastInboundAt),
    last_outbound_at: isoOrNull(head.lastOutboundAt),
    last_message_text: head.lastMessageText,
    window: { state: window.state, expires_at: isoOrNull(window.expiresAt) },
    unanswered: isUnanswered(head),
    can_reply: window.state === "open_24h",
    can_send_as_human_agent: window.state === "human_agent_7d",
  };
}

export const listConversations = endpoint.page({
  operation: "listConversations",
  method: "GET",
  path: "/v1/conversations",
  role: "agent",
  tag: "Conversations",
  summary: "List conversations, newest message in either direction first",
  description:
    "A filtered page examines at most 200 conversations. It may be short or empty and still return a `next_cursor`.",
  query: z.object({
    unanswered: queryFlag.check(
      z.describe("true: only conversations whose last message is inbound. false (default): all conversations."),
    ),
    platform: z.optional(z.enum(platforms)),
    account_key: z.optional(
      z.string().check(
        z.refine((key) => parseAccountKey(key) !== null, { error: "must be <platform>#<external_id>" }),
        z.meta({
          description: "Percent-encoded: # is %23. An unknown account matches nothing.",
          pattern: `^(${platforms.join("|")})#[!-"$-~]{1,64}$`,
        }),
      ),
    ),
  }),
  scope: "conversations",
  filters: ({ query: { unanswered, platform, account_key: accountKey } }) => ({
    unanswered: unanswered || null,
    platform,
    accountKey,
  }),
  data: z.object({ conversations: z.array(conversationSchema) }),
  handle: async ({ tenant, query, page, now, ports }) => {
    const { unanswered, platform = null, account_key: accountKey = null } = query;
    const { heads, next } = await ports.conversations.inbox(tenant, {
      before: page.position,
      limit: page.limit,
      filter: inboxPredicate({ unanswered, platform, accountKey }),
      now,
    });
    return { data: { conversations: heads.map((head) => toConversationResponse(head, now)) }, next };
  },
});

export const getConversation = endpoint.page({
  operation: "getConversation",
  method: "GET",
  path: "/v1/conversations/{id}",
  role: "agent",
  slashInId: true,
  tag: "Conversations",
  summary: "Get a conversation with its messages, newest first",
  query: z.object({ include_test: queryFlag }),
  refusals: ["conversation_not_found", "conversation_id_cut"],
  scope: "conversation",
  filters: ({ path, query }) => ({ id: path.id, include_test: query.include_test }),
  data: z.object({ conversation: conversationSchema, messages: z.array(messageSchema) }),
  handle: async ({ tenant, path, query, page, now, ports }) => {
    const range = { before: page.position, limit: page.limit, includeTest: query.include_test };
    const result = await readConversation(ports, tenant, { conversationId: path.id, ...range }, now);
    if (isRefusal(result)) return result;
    const messages = result.page.rows.map(({ message }) => toMessageResponse(message));
    return { data: { conversation: toConversationResponse(result.head, now), messages }, next: result.page.next };
  },
});
