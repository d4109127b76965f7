import { expect, it } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { getMessage, listMessages, readConversation } from "#features/inbox/flows/read-inbox.ts";
import type { Message } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { eraseWorker } from "../../../../functions/erase/worker.ts";
import { injectFaults } from "../../../support/faults.ts";
import { putEndpointRow, rowsMentioning, runErasure, seedDataSubject } from "../../../support/flows/data-subject.ts";
import { buryMessages } from "../../../support/flows/dead-letters.ts";
import { invokeWorker, queueDepth } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { newTenant, sampleMessage } from "../../../support/stores/samples.ts";
import { openWorldTable } from "../../../support/world/world-table.ts";
import { recordAttempt, useSubject } from "./support/erased-conversations.ts";

// Several batches of removals.
const { drain, erase, expectErased, newSubject, queues, subject, testEnv } = useSubject({ messages: 30 });
const runWorker = () =>
  invokeWorker(testEnv.eventSource, queues.erasures, eraseWorker(testEnv.erasePorts(queues), testEnv.now));
const attemptOf = ({ eventUlid }: Message) => {
  const [endpointId = ""] = subject.endpointIds;
  return { tenant: subject.tenant, endpointId, eventUlid };
};
const readAttempt = (message: Message) => {
  const { tenant, endpointId, eventUlid } = attemptOf(message);
  return deliveryStore(testEnv.table).get(tenant, endpointId, eventUlid);
};

/** Every request that would remove an item whose key contains the text crashes. */
const failRemovals = (text: string) =>
  injectFaults(testEnv.client, ({ command, input }) =>
    /^(BatchWriteItem|DeleteItem)$/.test(command) && JSON.stringify(input).includes(text) ? "crash" : "pass",
  );

/** Stores a message from before the erasure, as a worker that read before it would. */
async function recordLateMessage(sentAt: number): Promise<Message> {
  const late = sampleMessage(subject.tenant, { id: "late", sentAt });
  await messageStore(testEnv.table).record(subject.tenant, late, testEnv.now());
  return late;
}

it("a message that is stored late, among rows that are counted and not removed is removed with them, and its later delivery with the next pass", async () => {
  const end = injectFaults(testEnv.client, ({ command }) => (command === "BatchWriteItem" ? "crash" : "pass"));
  await expect(erase()).rejects.toThrow("crashed");
  end();
  // Older than some counted rows, so no later page of the first pass has it.
  const late = await recordLateMessage(testEnv.now() - SECOND - 700);
  expect(await erase()).toEqual({ done: true, removed: subject.counts });
  expect((await rowsMentioning(testEnv, subject)).map(({ SK }) => SK).sort()).toEqual(["R", "~HEAD"]);
  await recordAttempt(testEnv, attemptOf(late));
  await drain();
  expect(await readAttempt(late)).toBeNull();
});

it("a worker that read before the erasure and runs until its time limit writes before the next pass, however often the background runs", async () => {
  await erase();
  for (let waited = 0; waited < MINUTE; waited += 5 * SECOND) {
    testEnv.advance(5 * SECOND);
    await runWorker();
  }
  const late = await recordLateMessage(testEnv.now() - 2 * MINUTE);
  await recordAttempt(testEnv, attemptOf(late));
  await expectErased();
  expect(await readAttempt(late)).toBeNull();
});

it("an erasure removes the conversation's rows only after what they refer to is gone", async () => {
  // Held messages, uploads, due sends, stored bodies and deliveries.
  for (const key of ['"H#', '"U#', '"QS#', '"E#', '"D#']) {
    const one = await newSubject();
    const restore = failRemovals(key);
    await expect(runErasure(testEnv, queues, one)).rejects.toThrow("crashed");
    restore();
    await expectErased(one, key);
  }
});

it("an erasure continues half an hour after its background failed ten times", async () => {
  await erase(0);
  const sweep = () => sweepDue(testEnv.sweepPorts(queues), testEnv.now());
  await sweep();
  testEnv.advance(MINUTE);
  expect(await buryMessages(testEnv.deadLetterPorts("Erasures", queues), testEnv.now())).toBe(1);
  expect(await queueDepth(testEnv.eventSource, queues.erasures)).toBe(0);

  testEnv.advance(29 * MINUTE);
  await sweep();
  expect((await runWorker()).records).toEqual([]);
  testEnv.advance(MINUTE);
  expect((await runWorker()).failed).toEqual([]);
  await expectErased();
});

it("an erasure that continues in the background hides the conversation at once and removes its messages page by page", async () => {
  const tenant = newTenant();
  const long = await seedDataSubject(testEnv, tenant, [], { messages: 150 });
  testEnv.advance(1);
  const ports = testEnv.apiPorts(queues);
  const page = { before: null, limit: 100, includeTest: false };
  const openPage = () => readConversation(ports, tenant, { ...page, conversationId: long.conversation }, testEnv.now());
  const feedOf = async (conversationId: string | null) => {
    const listed = await listMessages(ports, tenant, { ...page, conversationId, direction: null }, testEnv.now());
    return "rows" in listed ? listed.rows.map(({ message }) => message.id) : listed.refused;
  };
  const inbox = async () =>
    (await conversationStore(testEnv.table).inbox(tenant, { before: null, limit: 9, now: testEnv.now() })).heads;
  expect(await inbox()).toHaveLength(1);

  expect(await runErasure(testEnv, queues, long, 1)).toMatchObject({ done: false });
  expect(await inbox()).toEqual([]);
  expect(await openPage()).toMatchObject({ refused: "conversation_not_found" });
  expect(await feedOf(long.conversation)).toBe("conversation_not_found");
  const remaining = await feedOf(null);
  expect(remaining.length).toBeGreaterThan(0);
  const read = () => getMessage(ports, tenant, { messageId: remaining[0] ?? "", includeTest: false }, testEnv.now());
  expect(await read()).toMatchObject({ id: remaining[0] });

  await drain();
  expect(await feedOf(null)).toEqual([]);
  expect(await read()).toMatchObject({ refused: "message_not_found" });
});

it("an erasure counts the deliveries of an endpoint that was created a moment ago", async () => {
  const tenant = newTenant();
  const stale = await openTestEnv({
    startTable: (now) => {
      const world = openWorldTable(now);
      world.setLag(({ partition }) => (partition === `T#${tenant}` ? Number.POSITIVE_INFINITY : 0));
      return world;
    },
  });
  const created = await seedDataSubject(stale, tenant, [await putEndpointRow(stale, tenant, "new")]);
  stale.advance(1);
  expect(await runErasure(stale, await stale.newQueues(), created)).toEqual({
    done: true,
    removed: created.counts,
  });
  await stale.close();
});
