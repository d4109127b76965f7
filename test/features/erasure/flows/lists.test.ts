import { expect, it } from "vitest";
import { getMessage, listMessages, readConversation } from "#features/inbox/flows/read-inbox.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { drainErasures, runErasure, seedDataSubject } from "../../../support/flows/data-subject.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { newTenant } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);

it("an erasure that continues in the background hides the conversation at once and removes its messages page by page", async () => {
  const tenant = newTenant();
  const queues = await testEnv.newQueues();
  const subject = await seedDataSubject(testEnv, tenant, [], { messages: 150 });
  testEnv.advance(1);
  const ports = testEnv.apiPorts(queues);
  const page = { before: null, limit: 100, includeTest: false };
  const openPage = () =>
    readConversation(ports, tenant, { ...page, conversationId: subject.conversation }, testEnv.now());
  const feedOf = async (conversationId: string | null) => {
    const listed = await listMessages(ports, tenant, { ...page, conversationId, direction: null }, testEnv.now());
    return "rows" in listed ? listed.rows.map(({ message }) => message.id) : listed.refused;
  };
  const inbox = async () =>
    (await conversationStore(testEnv.table).inbox(tenant, { before: null, limit: 9, now: testEnv.now() })).heads;
  expect(await inbox()).toHaveLength(1);

  expect(await runErasure(testEnv, queues, subject, 1)).toMatchObject({ done: false });
  expect(await inbox()).toEqual([]);
  expect(await openPage()).toMatchObject({ refused: "conversation_not_found" });
  expect(await feedOf(subject.conversation)).toBe("conversation_not_found");
  const remaining = await feedOf(null);
  expect(remaining.length).toBeGreaterThan(0);
  const read = () => getMessage(ports, tenant, { messageId: remaining[0] ?? "", includeTest: false }, testEnv.now());
  expect(await read()).toMatchObject({ id: remaining[0] });

  await drainErasures(testEnv, queues);
  expect(await feedOf(null)).toEqual([]);
  expect(await read()).toMatchObject({ refused: "message_not_found" });
});
