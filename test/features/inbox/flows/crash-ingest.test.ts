import { expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { compress } from "#base/kernel/compression.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { EventMessage } from "#features/delivery/event-queue.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { encodeInbound } from "#features/inbox/queue.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { faultPoints, injectFaultAt, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { inboundBody, instagramWebhook } from "../../../support/flows/inbound-webhooks.ts";
import { invokeWorker, queueDepth, receiveEvents as receiveQueuedEvents } from "../../../support/flows/queue-worker.ts";
import { openTestEnv, type TestQueues } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { newTenant, PERSON } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);

interface TestCase {
  readonly tenant: TenantId;
  readonly account: string;
  readonly queues: TestQueues;
  readonly at: number;
  readonly raw: string;
}

/** One webhook with two inbound messages of one person, followed by an echo. */
async function newCase(): Promise<TestCase> {
  const tenant = newTenant();
  const account = await testEnv.connect(tenant);
  const at = testEnv.now();
  const raw = instagramWebhook(account, [
    { mid: `${tenant}-1`, text: "one", at: at - 2 },
    { mid: `${tenant}-2`, text: "two", at: at - 1 },
    { mid: `${tenant}-3`, text: "three", at, echo: true },
  ]);
  return { tenant, account, queues: await testEnv.newQueues(), at, raw };
}

const worker = (queues: TestQueues) => ingestWorker(testEnv.ingestPorts(queues), testEnv.now);

/** Starts a new process for each receive until the queue is empty. @returns how many processes ran */
async function drainInbound(queues: TestQueues): Promise<number> {
  for (let round = 1; round <= 6; round++) {
    testEnv.advance(31_000);
    await invokeWorker(testEnv.eventSource, queues.inbound, worker(queues));
    if ((await queueDepth(testEnv.eventSource, queues.inbound)) === 0) return round;
  }
  throw new Error("The inbound queue does not empty.");
}

async function receiveEvents(queues: TestQueues): Promise<EventMessage[]> {
  const records = await receiveQueuedEvents(testEnv, queues);
  return records.map(({ body }) => {
    const event = decodeEvent(body);
    if (!event) throw new Error("A queued event could not be decoded.");
    return event;
  });
}

async function expectAllStored({ tenant, account, queues, at }: TestCase): Promise<void> {
  const now = testEnv.now();
  const { rows } = await messageStore(testEnv.table).feed(tenant, {
    includeTest: false,
    direction: null,
    before: null,
    limit: 100,
    now,
  });
  expect(rows.map(({ message }) => [message.text, message.direction])).toEqual([
    ["three", "echo"],
    ["two", "inbound"],
    ["one", "inbound"],
  ]);
  const id = conversationId({
    tenant,
    account: { platform: "instagram", externalId: account },
    participantId: PERSON,
  });
  expect(await conversationStore(testEnv.table).get(tenant, id, now)).toMatchObject({
    lastAt: at,
    lastDirection: "echo",
    lastMessageText: "three",
    lastInboundAt: at - 1,
    lastOutboundAt: at,
    accountHandle: "@shop",
  });
  const events = await receiveEvents(queues);
  expect([...new Set(events.map(({ eventUlid }) => eventUlid))].sort()).toEqual(
    rows.map(({ message }) => message.eventUlid).sort(),
  );
  for (const { message, position } of rows) {
    const messageEvents = events.filter(({ eventUlid }) => eventUlid === message.eventUlid);
    expect(messageEvents.length).toBeGreaterThanOrEqual(1);
    for (const event of messageEvents)
      expect(event).toMatchObject({ tenant, source: { conversationId: message.conversationId, position } });
  }
}

it.each(faultPoints.flatMap((faultPoint) => (["bytes", "file"] as const).map((form) => [faultPoint, form] as const)))(
  "ingest is complete after a crash (%s) at any call to AWS and a redelivery of its queue message (%s)",
  async (faultPoint, form) => {
    const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const one = await newCase();
      const inbound = openQueue(one.queues.inbound, testEnv.eventSource);
      const file = `inbound/${one.tenant}.gz`;
      if (form === "file") await testEnv.files.put(file, compress(one.raw));
      const body =
        form === "file" ? encodeInbound({ receivedAt: one.at, bytes: null, file }) : inboundBody(one.raw, one.at);
      await inbound.send({ body });

      const { failed } = await strike.invoke(one.queues.inbound, worker(one.queues));
      if (faultPoint !== "lost" && strike.reached()) expect(failed).toHaveLength(1);
      await drainInbound(one.queues);
      await expectAllStored(one);
      if (form === "file") expect(await testEnv.files.get(file)).toBeNull();
    });
    // Raw copy, route, two messages with their heads, marker, echo, head, events; and two for the file.
    expect(calls).toBeGreaterThanOrEqual(form === "file" ? 12 : 10);
  },
);

it("ingest is complete after two crashes at any two calls", async () => {
  for (let first = 0; first < 10; first += 2) {
    for (let second = 0; second < 10; second += 3) {
      const one = await newCase();
      await openQueue(one.queues.inbound, testEnv.eventSource).send({ body: inboundBody(one.raw, one.at) });
      for (const k of [first, second]) {
        const injection = injectFaultAt(testEnv.clients, "after", k);
        await invokeWorker(testEnv.eventSource, one.queues.inbound, injection.crashable(worker(one.queues)));
        injection.remove();
        testEnv.advance(31_000);
      }
      await drainInbound(one.queues);
      await expectAllStored(one);
    }
  }
});

it("the same webhook three times, alone and in one batch, is ingested as one", async () => {
  const one = await newCase();
  const inbound = openQueue(one.queues.inbound, testEnv.eventSource);
  const body = inboundBody(one.raw, one.at);
  await inbound.sendAll([{ body }, { body }]);
  await drainInbound(one.queues);
  testEnv.advance(3_600_000);
  await inbound.send({ body });
  await drainInbound(one.queues);
  await expectAllStored(one);
});

it("ingest marks an event as repeated only when it may have been published before", async () => {
  const one = await newCase();
  const inbound = openQueue(one.queues.inbound, testEnv.eventSource);
  await inbound.send({ body: inboundBody(one.raw, one.at) });
  await drainInbound(one.queues);
  expect((await receiveEvents(one.queues)).map(({ repeated }) => repeated)).toEqual([false, false, false]);
  await inbound.send({ body: inboundBody(one.raw, one.at) });
  await drainInbound(one.queues);
  const again = (await receiveEvents(one.queues)).filter(({ repeated }) => repeated);
  expect(again).toHaveLength(3);
});
