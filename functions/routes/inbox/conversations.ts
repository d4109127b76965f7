import * as z from "zod/mini";
import { parseAccountKey, platforms } from "../../../shared/domain/accounts/accounts.ts";
import { inboxPredicate } from "../../../shared/domain/inbox/inbox-filter.ts";
import { readConversation } from "../../../shared/flows/inbox/read-inbox.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { nextCursor, openPage, pageScope } from "../../http/page.ts";
import { queryFlag } from "../../http/query.ts";
import { endpoint } from "../api-endpoint.ts";
import { conversationSchema, messageSchema, toConversationResponse, toMessageResponse } from "../responses.ts";

export const listConversations = endpoint({
  method: "GET",
  path: "/v1/conversations",
  auth: "key",
  tenant: "query",
  tag: "Conversations",
  summary: "List conversations, newest message in either direction first",
  description:
    "A filtered page looks through at most 200 conversations: it may be short or empty and still carry a next_cursor.",
  query: z.object({
    unanswered: queryFlag.check(
      z.describe("true: only conversations whose last message is the person's. false, as when absent: all of them."),
    ),
    platform: z.optional(z.enum(platforms)),
    account_key: z.optional(
      z.string().check(
        z.refine((key) => parseAccountKey(key) !== null, { error: "must be <platform>#<external_id>" }),
        z.describe("Percent-encoded: # is %23. An account that the tenant never had matches nothing."),
      ),
    ),
  }),
  paged: true,
  data: z.object({ conversations: z.array(conversationSchema), next_cursor: z.nullable(z.string()) }),
  handle: async ({ tenant, query, page, now, ports }) => {
    const { unanswered, platform = null, account_key: accountKey = null } = query;
    const scope = pageScope("conversations", tenant, { unanswered: unanswered || null, platform, accountKey });
    const cursorKey = await ports.cursorKey();
    const start = openPage(cursorKey, scope, page);
    if (isRefusal(start)) return start;
    const { heads, next } = await ports.conversations.inbox(tenant, {
      before: start.position,
      limit: page.limit,
      filter: inboxPredicate({ unanswered, platform, accountKey }),
      now,
    });
    return {
      conversations: heads.map((head) => toConversationResponse(head, now)),
      next_cursor: nextCursor(cursorKey, scope, next),
    };
  },
});

export const getConversation = endpoint({
  method: "GET",
  path: "/v1/conversations/{id}",
  auth: "key",
  tenant: "query",
  tag: "Conversations",
  summary: "Read a conversation with its messages, newest first",
  query: z.object({ include_test: queryFlag }),
  paged: true,
  refusals: ["conversation_not_found"],
  data: z.object({
    conversation: conversationSchema,
    messages: z.array(messageSchema),
    next_cursor: z.nullable(z.string()),
  }),
  handle: async ({ tenant, path, query, page, now, ports }) => {
    const scope = pageScope("conversation", tenant, { id: path.id, include_test: query.include_test });
    const cursorKey = await ports.cursorKey();
    const start = openPage(cursorKey, scope, page);
    if (isRefusal(start)) return start;
    const result = await readConversation(
      ports,
      tenant,
      { conversationId: path.id, before: start.position, limit: page.limit, includeTest: query.include_test },
      now,
    );
    if (isRefusal(result)) return result;
    return {
      conversation: toConversationResponse(result.head, now),
      messages: result.page.rows.map(({ message }) => toMessageResponse(message)),
      next_cursor: nextCursor(cursorKey, scope, result.page.next),
    };
  },
});
