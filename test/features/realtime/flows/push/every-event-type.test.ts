import { expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { type EventType, eventTypes, renderEvent } from "#base/events/events.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { encodeEvent, messageEvent } from "#features/delivery/event-queue.ts";
import { eventCatalog } from "#features/webhooks/event-catalog.ts";
import { sendTestEvent } from "#features/webhooks/flows.ts";
import { deliverWorker } from "../../../../../functions/deliver/worker.ts";
import { openWebhookClient } from "../../../../base/net/webhook-client-fixture.ts";
import { invokeWorker } from "../../../../support/flows/queue-worker.ts";
import { createEndpointAt, startStatusReceiver } from "../../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { openPushFixture } from "./support/push-fixture.ts";

// Each type on its way: from its publication over the deliver worker and the push worker to a frame.

const testEnv = openedOnce(openTestEnv);

async function openWorld() {
  const fixture = await openPushFixture(testEnv);
  const receiver = await startStatusReceiver();
  const url = `http://127.0.0.1:${receiver.port}/200`;
  const subscribed = eventTypes.filter((type) => type !== "test.event");
  const endpoint = await createEndpointAt(testEnv, fixture.queues, fixture.tenant, url, subscribed);
  await fixture.open();
  return { ...fixture, receiver, endpoint };
}

type World = Awaited<ReturnType<typeof openWorld>>;
type Publish = (world: World, type: EventType) => Promise<void>;

const ofMessage =
  (direction: "inbound" | "outbound"): Publish =>
  async ({ tenant, queues, recordMessage }) => {
    const record = await recordMessage("m", { direction });
    await openQueue(queues.events, testEnv.eventSource).send(messageEvent(tenant, record));
  };

const stored: Publish = async ({ tenant, queues, stores }, type) => {
  const example = eventCatalog().find((entry) => entry.type === type) ?? expect.unreachable();
  const eventUlid = newUlid(testEnv.now());
  await stores.eventBodies.save(tenant, renderEvent(tenant, eventUlid, type, example.example.data as object));
  const body = encodeEvent({ tenant, eventUlid, type, source: null, repeated: true });
  await openQueue(queues.events, testEnv.eventSource).send({ body });
};

const onRequest: Publish = async ({ tenant, queues, endpoint }) => {
  const author = { caller: { kind: "tenant_key", keyId: "k", tenant, scope: "live" }, ip: null } as const;
  const request = { tenant, endpointId: endpoint.id, author, now: testEnv.now() };
  expect(await sendTestEvent(testEnv.apiPorts(queues), request)).toHaveProperty("deliveryId");
};

/** How the types are published whose bodies are not stored. */
const publications: Readonly<Partial<Record<EventType, Publish>>> = {
  "message.received": ofMessage("inbound"),
  "message.sent": ofMessage("outbound"),
  "test.event": onRequest,
};

/** The change that `conversation.updated` is of requests a push of the conversation itself. */
const pushedTypes = eventTypes.filter((type) => type !== "conversation.updated");

it("`conversation.updated` reaches its endpoints, and is not pushed a second time", async () => {
  const world = await openWorld();
  await stored(world, "conversation.updated");
  const worker = deliverWorker(testEnv.deliverPorts(world.queues, openWebhookClient()), testEnv.now);
  expect((await invokeWorker(testEnv.eventSource, world.queues.events, worker)).failed).toEqual([]);
  await world.run();
  expect(world.receiver.requests.map(({ body }) => JSON.parse(`${body}`).type)).toEqual(["conversation.updated"]);
  expect(world.takeFrames()).toEqual([]);
});

it.each(pushedTypes)("%s is pushed as endpoints get it", async (type) => {
  const world = await openWorld();
  const { queues, receiver } = world;
  await (publications[type] ?? stored)(world, type);
  const worker = deliverWorker(testEnv.deliverPorts(queues, openWebhookClient()), testEnv.now);
  for (const queue of [queues.events, queues.deliveries])
    expect((await invokeWorker(testEnv.eventSource, queue, worker)).failed).toEqual([]);
  expect((await world.run()).failed).toEqual([]);
  const delivered = receiver.requests.map(({ body }) => JSON.parse(`${body}`));
  expect(delivered).toMatchObject([{ type }]);
  const pushed = world.takeFrames().map(({ frame }) => frame);
  expect(pushed.filter((frame) => frame.type === type)).toEqual(delivered);
});
