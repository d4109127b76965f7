import * as z from "zod/mini";
import { directions } from "../../../shared/domain/inbox/messages.ts";
import { listMessages as list, getMessage as read } from "../../../shared/flows/inbox/read-inbox.ts";
import { isRefusal } from "../../../shared/kernel/refusals.ts";
import { nextCursor, openPage, pageScope } from "../../http/page.ts";
import { queryFlag } from "../../http/query.ts";
import { endpoint } from "../api-endpoint.ts";
import { messageSchema, toMessageResponse } from "../responses.ts";

export const listMessages = endpoint({
  method: "GET",
  path: "/v1/messages",
  auth: "key",
  tenant: "query",
  tag: "Messages",
  summary: "List messages, newest first",
  query: z.object({
    conversation_id: z.optional(z.string()),
    direction: z.optional(z.enum(directions)),
    include_test: queryFlag,
  }),
  paged: true,
  refusals: ["conversation_not_found"],
  data: z.object({ messages: z.array(messageSchema), next_cursor: z.nullable(z.string()) }),
  handle: async ({ tenant, query, page, now, ports }) => {
    const scope = pageScope("messages", tenant, query);
    const cursorKey = await ports.cursorKey();
    const start = openPage(cursorKey, scope, page);
    if (isRefusal(start)) return start;
    const result = await list(
      ports,
      tenant,
      {
        conversationId: query.conversation_id ?? null,
        direction: query.direction ?? null,
        includeTest: query.include_test,
        before: start.position,
        limit: page.limit,
      },
      now,
    );
    if (isRefusal(result)) return result;
    return {
      messages: result.rows.map(({ message }) => toMessageResponse(message)),
      next_cursor: nextCursor(cursorKey, scope, result.next),
    };
  },
});

export const getMessage = endpoint({
  method: "GET",
  path: "/v1/messages/{id}",
  auth: "key",
  tenant: "query",
  tag: "Messages",
  summary: "Read one message by the platform's own id",
  query: z.object({ include_test: queryFlag }),
  refusals: ["message_not_found"],
  data: z.object({ message: messageSchema }),
  handle: async ({ tenant, path, query, now, ports }) => {
    const message = await read(ports, tenant, { messageId: path.id, includeTest: query.include_test }, now);
    return isRefusal(message) ? message : { message: toMessageResponse(message) };
  },
});
