import { expect } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { MINUTE } from "#base/kernel/time.ts";
import type { PlatformName } from "#features/accounts/rules/accounts.ts";
import { getMessage, listMessages, readConversation } from "#features/inbox/flows/read-inbox.ts";
import type { IngestPorts } from "#features/inbox/ports.ts";
import { toMessageResponse } from "#features/inbox/routes/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { headKey } from "#features/inbox/store/items.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { openedEach, openedOnce } from "../opened.ts";
import { readItem, scanItems } from "../stores/items.ts";
import { newConversation } from "./new-conversation.ts";
import {
  expectEmpty,
  ingestEvents,
  type PlatformEvent,
  renderEventMessages,
  shownMessages,
} from "./platform-events.ts";
import { openTestEnv, type TestEnv, type TestQueues } from "./test-env.ts";

export type ChangeFixture = Awaited<ReturnType<typeof openChangeFixture>>;

/** Opens an environment for the tests of a file, and a conversation for each test. */
export function useChangeFixture() {
  const testEnv = openedOnce(openTestEnv);
  const queues = openedOnce(() => testEnv.newQueues());
  return { testEnv, queues, fixture: openedEach(() => openChangeFixture(testEnv, queues)) };
}

/** A new conversation with helpers that ingest its events and read it in each way the API offers. */
export async function openChangeFixture(testEnv: TestEnv, queues: TestQueues, platform: PlatformName = "instagram") {
  const { table } = testEnv;
  const { tenant, account, conversation } = await newConversation(testEnv, platform);
  const inboxPorts = { conversations: conversationStore(table), messages: messageStore(table) };

  async function ingestWith(ports: IngestPorts, ...events: PlatformEvent[]) {
    const { events: messages } = await ingestEvents(ports, { platform, externalId: account }, events, testEnv.now());
    return renderEventMessages(testEnv, tenant, messages);
  }

  return {
    tenant,
    account,
    conversation,
    /** The time of its first message: one minute ago. */
    at: testEnv.now() - MINUTE,
    inboxPorts,

    /** Ingests one webhook in a new process. @returns the published events */
    ingest: (...events: PlatformEvent[]) => ingestWith(testEnv.ingestPorts(queues), ...events),
    ingestWith,

    head: () => conversationStore(table).get(tenant, conversation, testEnv.now()),

    /** The stored item of its head, or an empty object. */
    async rawHead(): Promise<Record<string, unknown>> {
      const Item = await readItem(table, headKey(conversation));
      return Item ?? {};
    },

    read: (messageId: string) =>
      getMessage({ messages: messageStore(table) }, tenant, { messageId, includeTest: false }, testEnv.now()),

    /** Expects that a message is found by its id, unsent and empty. */
    async expectUnsent(messageId: string): Promise<void> {
      const message = await getMessage(
        { messages: messageStore(table) },
        tenant,
        { messageId, includeTest: false },
        testEnv.now(),
      );
      if (isRefusal(message)) throw new Error(`${messageId} is not found.`);
      expect(message.unsentAt).toEqual(expect.any(Number));
      expectEmpty(message);
    },

    /** The texts of all lists, without unsent messages, which show nothing. Expects every list to show the same. */
    async shownTexts(): Promise<string[]> {
      const page = { before: null, limit: 50, includeTest: false };
      const now = testEnv.now();
      const conversationPage = await readConversation(
        inboxPorts,
        tenant,
        { ...page, conversationId: conversation },
        now,
      );
      const lists = await Promise.all(
        [null, conversation].map((conversationId) =>
          listMessages(inboxPorts, tenant, { ...page, conversationId, direction: null }, now),
        ),
      );
      const pages = [isRefusal(conversationPage) ? null : conversationPage.page, ...lists].flatMap((page) =>
        page === null || isRefusal(page) ? [] : [page],
      );
      const texts = pages.map(({ rows }) =>
        shownMessages(rows.map(({ message }) => message)).map((message) => toMessageResponse(message).text),
      );
      for (const shown of texts) expect(shown).toEqual(texts[0]);
      return texts[0] ?? [];
    },

    /** Every item of the tenant's conversations and of their events. */
    async tenantItems(): Promise<Record<string, unknown>[]> {
      const Items = await scanItems(table);
      const tenantPattern = new RegExp(`#${tenant}(#|$)`);
      return Items.filter(({ PK }) => tenantPattern.test(PK as string) && /^(CONV|E)#/.test(PK as string));
    },
  };
}
