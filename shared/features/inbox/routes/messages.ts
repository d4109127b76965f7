import * as z from "zod/mini";
import { isRefusal } from "#base/kernel/refusals.ts";
import { queryFlag } from "#http/fields.ts";
import { once } from "#http/lazy-schemas.ts";
import { messageContent, messageContentFields, messageRef, messageRefFields } from "../events/message.ts";
import { listMessages as list, getMessage as read } from "../flows/read-inbox.ts";
import { directions, type Message } from "../rules/messages.ts";
import { endpoint } from "./endpoint.ts";

/** A message as every route that reads messages shows it. */
export const messageSchema = once(() =>
  z.object({ ...messageRefFields(), ...messageContentFields() }).register(z.globalRegistry, { id: "Message" }),
);

export function toMessageResponse(message: Message): z.infer<ReturnType<typeof messageSchema>> {
  return { ...messageRef(message), ...messageContent(message) };
}

export const listMessages = endpoint.page({
  operation: "listMessages",
  method: "GET",
  path: "/v1/messages",
  role: "agent",
  tag: "Messages",
  summary: "List messages",
  query: () =>
    z.object({
      conversation_id: z.optional(z.string()),
      direction: z.optional(z.enum(directions)),
      include_test: queryFlag,
    }),
  refusals: ["conversation_not_found", "conversation_id_cut"],
  scope: "messages",
  filters: ({ query }) => query,
  data: () => z.object({ messages: z.array(messageSchema()) }),
  handle: async ({ tenant, query, page, now, ports }) => {
    const filter = {
      conversationId: query.conversation_id ?? null,
      direction: query.direction ?? null,
      includeTest: query.include_test,
      before: page.position,
      limit: page.limit,
    };
    const result = await list(ports, tenant, filter, now);
    if (isRefusal(result)) return result;
    return { data: { messages: result.rows.map(({ message }) => toMessageResponse(message)) }, next: result.next };
  },
});

export const getMessage = endpoint.tenant({
  operation: "getMessage",
  method: "GET",
  path: "/v1/messages/{id}",
  role: "agent",
  slashInId: true,
  tag: "Messages",
  summary: "Get a message",
  query: () => z.object({ include_test: queryFlag }),
  refusals: ["message_not_found"],
  data: () => z.object({ message: messageSchema() }),
  handle: async ({ tenant, path, query, now, ports }) => {
    const message = await read(ports, tenant, { messageId: path.id, includeTest: query.include_test }, now);
    return isRefusal(message) ? message : { message: toMessageResponse(message) };
  },
});
