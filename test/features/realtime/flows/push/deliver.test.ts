import { expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { HOUR, MINUTE } from "#base/kernel/time.ts";
import { encodeEvent } from "#features/delivery/event-queue.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { decodeRealtime } from "#features/realtime/queue.ts";
import { socketStore } from "#features/realtime/store/sockets.ts";
import { renderWebhookPaused } from "#features/webhooks/events/webhook-paused.ts";
import { deliverWorker } from "../../../../../functions/deliver/worker.ts";
import { openWebhookClient } from "../../../../base/net/webhook-client-fixture.ts";
import { faultPoints, strikeEachCall } from "../../../../support/flows/fault-injection.ts";
import {
  invokeWithRecord,
  invokeWorker,
  receiveAllMessages,
  runUntilEmpty,
} from "../../../../support/flows/queue-worker.ts";
import { createEndpointAt, recordMessage, startStatusReceiver } from "../../../../support/flows/test-endpoints.ts";
import { openTestEnv, type TestQueues } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { newTenant } from "../../../../support/stores/samples.ts";
import { openSocket } from "./support/open-socket.ts";

// What the deliver worker queues for the sockets of the tenants whose events it publishes.

const testEnv = openedOnce(openTestEnv);

const worker = (queues: TestQueues, client = openWebhookClient()) =>
  deliverWorker(testEnv.deliverPorts(queues, client), testEnv.now);

const pushed = async (queues: TestQueues) =>
  (await receiveAllMessages(testEnv.eventSource, queues.realtime)).map(({ body, attributes }) => ({
    message: decodeRealtime(body),
    group: attributes.MessageGroupId,
  }));

const deliver = (queues: TestQueues) => invokeWorker(testEnv.eventSource, queues.events, worker(queues));

it("the events of a batch are one message for each tenant with sockets, also without endpoints", async () => {
  const queues = await testEnv.newQueues();
  const [withSockets, another, without] = [newTenant(), newTenant(), newTenant()];
  for (const tenant of [withSockets, another]) await openSocket(testEnv.table, tenant, { now: testEnv.now() });
  const events = openQueue(queues.events, testEnv.eventSource);
  const first = await recordMessage(testEnv, withSockets, "first");
  const second = await recordMessage(testEnv, withSockets, "second");
  const third = await recordMessage(testEnv, another, "third");
  const other = await recordMessage(testEnv, without, "other");
  // One that comes twice in a batch is pushed once.
  for (const { body } of [first, second, first, third, other]) await events.send({ body });
  const requestsBefore = testEnv.emulators.sqs.counts.SendMessageBatch ?? 0;
  expect((await deliver(queues)).failed).toEqual([]);
  expect((testEnv.emulators.sqs.counts.SendMessageBatch ?? 0) - requestsBefore).toBe(1);

  const event = ({ message, ref }: typeof first) => ({
    eventUlid: message.eventUlid,
    type: "message.received",
    source: ref,
  });
  expect(await pushed(queues)).toEqual([
    {
      group: withSockets,
      message: expect.objectContaining({
        tenant: withSockets,
        kind: "events",
        events: expect.arrayContaining([event(first), event(second)]),
      }),
    },
    { group: another, message: expect.objectContaining({ tenant: another, events: [event(third)] }) },
  ]);
});

it("an event with a stored body is pushed like any other, and a test send says that it is one", async () => {
  const queues = await testEnv.newQueues();
  const tenant = newTenant();
  await openSocket(testEnv.table, tenant, { now: testEnv.now() });
  const paused = renderWebhookPaused(tenant, newUlid(testEnv.now()), { endpointId: "e", reason: "gone" });
  await eventBodyStore(testEnv.table).save(tenant, paused);
  const about = { tenant, eventUlid: paused.ulid, type: paused.type, source: null, repeated: false };
  await invokeWithRecord(worker(queues), encodeEvent({ ...about, test: true }));
  expect(await pushed(queues)).toMatchObject([
    { message: { events: [{ eventUlid: paused.ulid, type: "webhook.paused", source: null, test: true }] } },
  ]);
});

it.each([
  ["never had one", async () => {}],
  [
    "closed its last one",
    async (tenant: ReturnType<typeof newTenant>) => {
      const { connectionId } = await openSocket(testEnv.table, tenant, { now: testEnv.now() });
      await socketStore(testEnv.table).remove(tenant, [connectionId]);
    },
  ],
  [
    "has rows of sockets whose time is over",
    async (tenant: ReturnType<typeof newTenant>) => {
      await openSocket(testEnv.table, tenant, { now: testEnv.now(), age: 3 * HOUR });
    },
  ],
])("no message is queued for a tenant that %s", async (_, prepare) => {
  const [queues, tenant] = [await testEnv.newQueues(), newTenant()];
  await prepare(tenant);
  const { body } = await recordMessage(testEnv, tenant);
  await invokeWithRecord(worker(queues), body);
  expect(await pushed(queues)).toEqual([]);
});

it("an event that the queue of the stream did not take comes again, and calls no endpoint again", async () => {
  const [queues, tenant, receiver] = [await testEnv.newQueues(), newTenant(), await startStatusReceiver()];
  await openSocket(testEnv.table, tenant, { now: testEnv.now() });
  await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/200`);
  const { body, message } = await recordMessage(testEnv, tenant);
  const other = await recordMessage(testEnv, newTenant());
  for (const sent of [body, other.body]) await openQueue(queues.events, testEnv.eventSource).send({ body: sent });
  const ports = testEnv.deliverPorts(queues, openWebhookClient());
  const dead = { sendAll: () => Promise.reject(new Error("The queue does not answer.")) };
  const { failed } = await invokeWorker(
    testEnv.eventSource,
    queues.events,
    deliverWorker({ ...ports, realtime: dead }, testEnv.now),
  );
  // A tenant without sockets is not concerned.
  expect(failed).toHaveLength(1);
  expect(receiver.requests).toHaveLength(1);
  testEnv.advance(MINUTE);
  expect((await deliver(queues)).failed).toEqual([]);
  expect(receiver.requests).toHaveLength(1);
  expect(await pushed(queues)).toMatchObject([{ message: { events: [{ eventUlid: message.eventUlid }] } }]);
});

it.each(faultPoints)(
  "an event is queued for the stream despite a fault (%s) at any call to AWS",
  async (faultPoint) => {
    const client = openWebhookClient();
    await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const [queues, tenant, receiver] = [await testEnv.newQueues(), newTenant(), await startStatusReceiver()];
      await openSocket(testEnv.table, tenant, { now: testEnv.now() });
      await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/200`);
      const { body, message } = await recordMessage(testEnv, tenant);
      await openQueue(queues.events, testEnv.eventSource).send({ body });
      await strike.invoke(queues.events, worker(queues, client));
      await runUntilEmpty(testEnv, queues.events, () =>
        invokeWorker(testEnv.eventSource, queues.events, worker(queues, client)),
      );
      const events = (await pushed(queues)).flatMap((sent) =>
        sent.message?.kind === "events" ? sent.message.events : [],
      );
      expect(events.length).toBeGreaterThanOrEqual(1);
      expect(new Set(events.map(({ eventUlid }) => eventUlid))).toEqual(new Set([message.eventUlid]));
    });
  },
);

it("a retry and a replay are not pushed", async () => {
  const [queues, tenant, receiver] = [await testEnv.newQueues(), newTenant(), await startStatusReceiver()];
  await openSocket(testEnv.table, tenant, { now: testEnv.now() });
  await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/500`);
  const { body } = await recordMessage(testEnv, tenant);
  await invokeWithRecord(worker(queues), body);
  expect(await pushed(queues)).toHaveLength(1);
  testEnv.advance(6_000);
  await invokeWorker(testEnv.eventSource, queues.deliveries, worker(queues));
  expect(receiver.requests).toHaveLength(2);
  expect(await pushed(queues)).toEqual([]);
});
