import { GetCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { expect } from "vitest";
import { messageView } from "../../../../functions/routes/responses.ts";
import { listMessages, openConversation, readMessage } from "../../../../shared/flows/inbox/read-inbox.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { MINUTE } from "../../../../shared/kernel/time.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { headKey } from "../../../../shared/stores/keys.ts";
import { type Happening, ingestOf, toldIn } from "./changes.ts";
import type { House, Lane } from "./house.ts";
import { newConversation } from "./new-conversation.ts";

export type ChangeScene = Awaited<ReturnType<typeof openChangeScene>>;

/** A new conversation, what comes to its account, and each way in which it can be read. */
export async function openChangeScene(house: House, lane: Lane) {
  const { table } = house;
  const { tenant, account, conversation } = await newConversation(house);
  const inboxPorts = { conversations: conversationStore(table), messages: messageStore(table) };

  return {
    tenant,
    account,
    conversation,
    /** When its first message was sent: a minute ago. */
    at: house.now() - MINUTE,
    inboxPorts,

    /** Takes one webhook as a process of its own would. @returns what is to be announced */
    async take(...happenings: Happening[]) {
      const { announcements } = await ingestOf(house.ingestPorts(lane), account, happenings, house.now());
      return toldIn(house, tenant, announcements);
    },

    head: () => conversationStore(table).get(tenant, conversation, house.now()),

    /** The item of its head; empty where there is none. */
    async rawHead(): Promise<Record<string, unknown>> {
      const { Item } = await table.client.send(
        new GetCommand({ TableName: table.name, Key: headKey(conversation), ConsistentRead: true }),
      );
      return Item ?? {};
    },

    read: (messageId: string) =>
      readMessage({ messages: messageStore(table) }, tenant, { messageId, includeTest: false }, house.now()),

    /** The texts that each way of reading shows, which must be the same. */
    async shown(): Promise<string[]> {
      const page = { before: null, limit: 50, includeTest: false };
      const now = house.now();
      const opened = await openConversation(inboxPorts, tenant, { ...page, conversationId: conversation }, now);
      const lists = await Promise.all(
        [null, conversation].map((conversationId) =>
          listMessages(inboxPorts, tenant, { ...page, conversationId, direction: null }, now),
        ),
      );
      const pages = [isRefusal(opened) ? null : opened.page, ...lists].flatMap((page) =>
        page === null || isRefusal(page) ? [] : [page],
      );
      const texts = pages.map(({ rows }) => rows.map(({ message }) => messageView(message).text));
      for (const each of texts) expect(each).toEqual(texts[0]);
      return texts[0] ?? [];
    },

    /** Every item of the tenant's conversations and of their events. */
    async everything(): Promise<Record<string, unknown>[]> {
      const { Items = [] } = await table.client.send(new ScanCommand({ TableName: table.name, ConsistentRead: true }));
      const mine = new RegExp(`#${tenant}(#|$)`);
      return Items.filter(({ PK }) => mine.test(PK as string) && /^(CONV|E)#/.test(PK as string));
    },
  };
}
