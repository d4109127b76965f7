import type { components } from "../api-types.ts";
import type { CallOptions, HttpClient } from "../http-client.ts";
import type { Body, Data, Query } from "../operations.ts";
import { type PagedList, pagedList } from "../pages.ts";

type ConversationPage = Data<"GET /v1/conversations">;
type MessagePage = Data<"GET /v1/messages">;

/** A conversation as the list shows it. */
export type Conversation = components["schemas"]["Conversation"];
/** A message as the list shows it. */
export type Message = components["schemas"]["Message"];

export function conversationCalls(http: HttpClient) {
  return {
    /** Lists conversations, newest message first. */
    list(
      query: Query<"GET /v1/conversations"> = {},
      options: CallOptions = {},
    ): PagedList<ConversationPage, Conversation> {
      return pagedList(
        (cursor = query.cursor) => http.request("GET /v1/conversations", { query: { ...query, cursor }, ...options }),
        (page) => page.conversations,
      );
    },
    /** A conversation with its messages, newest first. */
    get(
      id: string,
      query: Query<"GET /v1/conversations/{id}"> = {},
      options: CallOptions = {},
    ): Promise<Data<"GET /v1/conversations/{id}">> {
      return http.request("GET /v1/conversations/{id}", { path: { id }, query, ...options });
    },
    /** Marks a conversation as done, so that it needs no reply, or removes the mark. The next message ends it. */
    update(
      id: string,
      body: Body<"PATCH /v1/conversations/{id}">,
      query: Query<"PATCH /v1/conversations/{id}"> = {},
      options: CallOptions = {},
    ): Promise<Data<"PATCH /v1/conversations/{id}">> {
      return http.request("PATCH /v1/conversations/{id}", { path: { id }, body, query, ...options });
    },
    /** Erases a conversation. While `done` is false, Parley continues in the background. */
    erase(
      id: string,
      query: Query<"DELETE /v1/conversations/{id}"> = {},
      options: CallOptions = {},
    ): Promise<Data<"DELETE /v1/conversations/{id}">> {
      return http.request("DELETE /v1/conversations/{id}", { path: { id }, query, ...options });
    },
  };
}

export interface SendOptions extends CallOptions {
  /** With the same key and body, a second call within 24 hours returns the first response and sends nothing. */
  readonly idempotencyKey?: string | undefined;
}

export function messageCalls(http: HttpClient) {
  const split = ({ idempotencyKey, ...options }: SendOptions) => ({
    ...options,
    ...(idempotencyKey === undefined ? {} : { headers: { "Idempotency-Key": idempotencyKey } }),
  });
  return {
    /** Lists messages, newest first. */
    list(query: Query<"GET /v1/messages"> = {}, options: CallOptions = {}): PagedList<MessagePage, Message> {
      return pagedList(
        (cursor = query.cursor) => http.request("GET /v1/messages", { query: { ...query, cursor }, ...options }),
        (page) => page.messages,
      );
    },
    get(
      id: string,
      query: Query<"GET /v1/messages/{id}"> = {},
      options: CallOptions = {},
    ): Promise<Data<"GET /v1/messages/{id}">> {
      return http.request("GET /v1/messages/{id}", { path: { id }, query, ...options });
    },
    /** Sends a reply, within 24 hours of the person's last message. Is never retried. */
    reply(body: Body<"POST /v1/messages/reply">, options: SendOptions = {}): Promise<Data<"POST /v1/messages/reply">> {
      return http.request("POST /v1/messages/reply", { body, ...split(options) });
    },
    /** Holds a message that a person typed, until they pass the check at `verify_url`. Is never retried. */
    sendAsHumanAgent(
      body: Body<"POST /v1/messages/human-agent">,
      options: SendOptions = {},
    ): Promise<Data<"POST /v1/messages/human-agent">> {
      return http.request("POST /v1/messages/human-agent", { body, ...split(options) });
    },
    getHold(hold_id: string, options: CallOptions = {}): Promise<Data<"GET /v1/messages/holds/{hold_id}">> {
      return http.request("GET /v1/messages/holds/{hold_id}", { path: { hold_id }, ...options });
    },
  };
}
