import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { auditEntry } from "#features/access/rules/callers.ts";
import { messageEvent } from "#features/delivery/event-queue.ts";
import { conversationId, type Message } from "#features/inbox/rules/messages.ts";
import { outboundMessageStore } from "#features/inbox/store/outbound-messages.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { openCountFixture } from "../../../support/flows/counter-fixture.ts";
import { allRows, runErasure } from "../../../support/flows/data-subject.ts";
import { inboundBody, instagramWebhook, type WebhookText } from "../../../support/flows/inbound-webhooks.ts";
import { listFeed } from "../../../support/flows/platform-events.ts";
import { invokeWorker, queueDepth } from "../../../support/flows/queue-worker.ts";
import { createEndpointAt, startStatusReceiver } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv, type TestQueues } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { newTenant, PERSON, sampleMessage } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openCountFixture(testEnv));
beforeEach(async () => {
  testEnv.lines.length = 0;
});

const say = async (...texts: (Partial<WebhookText> & { mid: string })[]) => {
  const raw = instagramWebhook(
    fixture.account,
    texts.map((one) => ({ text: one.mid, at: testEnv.now(), ...one })),
  );
  await openQueue(fixture.queues.inbound, testEnv.eventSource).send({ body: inboundBody(raw, testEnv.now()) });
};
const ingest = (ports = testEnv.ingestPorts(fixture.queues)) =>
  invokeWorker(testEnv.eventSource, fixture.queues.inbound, ingestWorker(ports, testEnv.now));

it("inbound messages count once however often they are repeated, in both directions", async () => {
  const at = testEnv.now();
  await say({ mid: "a" }, { mid: "b" }, { mid: "a" });
  await say({ mid: "b" }, { mid: "echo", echo: true });
  await ingest();
  await fixture.deliver();
  await say({ mid: "a", at }, { mid: "echo", echo: true, at }, { mid: "c" });
  await ingest();
  await fixture.deliver();
  expect(await fixture.messages()).toBe(4);
});

/** Received, sent, and the answers by the time that people waited, without the times that none has. */
async function counted() {
  const { hours } = await fixture.stats();
  const { received, sent, answers } = hours.at(-1) ?? { answers: {} };
  return { received, sent, ...Object.fromEntries(Object.entries(answers).filter(([, count]) => count > 0)) };
}

it("an answer counts once by how long the person waited, however often it is repeated", async () => {
  await say({ mid: "a" }, { mid: "b", at: testEnv.now() + SECOND });
  await ingest();
  await fixture.deliver();
  expect(await counted()).toEqual({ received: 2, sent: 0 });
  for (let arrivals = 0; arrivals < 2; arrivals++) {
    await say({ mid: "answer", echo: true, at: testEnv.now() + 6 * MINUTE });
    await ingest();
    await fixture.deliver();
    expect(await counted()).toEqual({ received: 2, sent: 1, within15Minutes: 1 });
  }
  await say({ mid: "more", echo: true, at: testEnv.now() + 7 * MINUTE });
  await ingest();
  await fixture.deliver();
  expect(await counted()).toEqual({ received: 2, sent: 2, within15Minutes: 1 });
});

it("an answer counts by how long the person waited when the run that stored it could not publish it", async () => {
  await say({ mid: "a" });
  await ingest();
  await fixture.deliver();
  await say({ mid: "answer", echo: true, at: testEnv.now() + MINUTE });
  const broken = testEnv.ingestPorts({ ...fixture.queues, events: `${fixture.queues.events}-gone` });
  expect((await ingest(broken)).failed).toHaveLength(1);
  testEnv.advance(31 * SECOND);
  await ingest();
  await fixture.deliver();
  expect(await counted()).toEqual({ received: 1, sent: 1, within5Minutes: 1 });
});

it("an answer that was unsent before it came counts by how long the person waited", async () => {
  await say({ mid: "a" });
  await ingest();
  await fixture.deliver();
  const at = testEnv.now() + MINUTE;
  const early = JSON.parse(instagramWebhook(fixture.account, [{ mid: "answer", text: "", at, echo: true }]));
  early.entry[0].messaging[0].message = { mid: "answer", is_deleted: true, is_echo: true };
  await openQueue(fixture.queues.inbound, testEnv.eventSource).send({
    body: inboundBody(JSON.stringify(early), testEnv.now()),
  });
  await ingest();
  await say({ mid: "answer", echo: true, at });
  await ingest();
  await fixture.deliver();
  expect(await counted()).toEqual({ received: 1, sent: 1, within5Minutes: 1 });
});

it("inbound messages cost one update per tenant of the batch", async () => {
  const other = newTenant();
  const shop = await testEnv.connect(other);
  await say({ mid: "a" });
  await say({ mid: "b" });
  const raw = instagramWebhook(shop, [{ mid: "c", text: "c", at: testEnv.now() }]);
  await openQueue(fixture.queues.inbound, testEnv.eventSource).send({ body: inboundBody(raw, testEnv.now()) });
  const counted: string[] = [];
  const end = injectFaults(testEnv.client, ({ command, input }) => {
    const { PK } = (input as { Key?: { PK?: { S: string } } }).Key ?? {};
    if (command === "UpdateItem" && PK?.S.startsWith("S#")) counted.push(PK.S);
    return "pass";
  });
  await ingest();
  await fixture.deliver();
  end();
  expect(counted.sort()).toEqual([`S#${fixture.tenant}`, `S#${other}`].sort());
  expect(await fixture.messages()).toBe(2);
  expect(await fixture.messages(other)).toBe(1);
});

it("inbound messages count even when the batch fails later, because they are stored when it is retried", async () => {
  await say({ mid: "a" }, { mid: "stuck" }, { mid: "b" });
  const end = injectFaults(testEnv.client, ({ command, input }) =>
    command === "PutItem" && JSON.stringify(input).includes("#stuck") ? "crash" : "pass",
  );
  expect((await ingest()).failed).toHaveLength(1);
  end();
  await fixture.deliver();
  expect(await fixture.messages()).toBe(1);
  testEnv.advance(31 * SECOND);
  expect((await ingest()).failed).toEqual([]);
  await fixture.deliver();
  expect(await fixture.messages()).toBe(3);

  await say({ mid: "c" });
  const broken = testEnv.ingestPorts({ ...fixture.queues, events: `${fixture.queues.events}-gone` });
  expect((await ingest(broken)).failed).toHaveLength(1);
  testEnv.advance(31 * SECOND);
  await ingest();
  await fixture.deliver();
  expect(await fixture.messages()).toBe(4);
});

it("inbound messages count once where they were unsent before they came", async () => {
  const early = JSON.parse(instagramWebhook(fixture.account, [{ mid: "gone", text: "", at: testEnv.now() }]));
  early.entry[0].messaging[0].message = { mid: "gone", is_deleted: true };
  const body = inboundBody(JSON.stringify(early), testEnv.now());
  await openQueue(fixture.queues.inbound, testEnv.eventSource).send({ body });
  await ingest();
  await fixture.deliver();
  expect(await fixture.messages()).toBe(0);
  for (let arrivals = 0; arrivals < 2; arrivals++) {
    await say({ mid: "gone" });
    await ingest();
    await fixture.deliver();
    expect(await fixture.messages()).toBe(1);
  }
});

it("inbound messages do not count when an erasure takes them back", async () => {
  const conversation = conversationId({
    tenant: fixture.tenant,
    account: { platform: "instagram", externalId: fixture.account },
    participantId: PERSON,
  });
  await say({ mid: "before" });
  await ingest();
  await fixture.deliver();
  await say({ mid: "late" }, { mid: "echo", echo: true });
  testEnv.advance(SECOND);
  let isErased = false;
  const end = injectFaults(testEnv.client, async ({ command, input }): Promise<Fault> => {
    const isMessage = command === "PutItem" && JSON.stringify(input).includes("#late");
    if (isMessage && !isErased) {
      isErased = true;
      await runErasure(testEnv, fixture.queues, { tenant: fixture.tenant, conversation });
    }
    return "pass";
  });
  await ingest();
  await fixture.deliver();
  end();
  expect(isErased).toBe(true);
  expect(await listFeed(testEnv, fixture.tenant)).toEqual([]);
  expect(await fixture.messages()).toBe(1);
});

it("inbound messages are stored and published when counting fails, and the failure is logged", async () => {
  await say({ mid: "a" });
  const end = fixture.failCounterUpdates("crash");
  expect((await ingest()).failed).toEqual([]);
  expect(await queueDepth(testEnv.eventSource, fixture.queues.events)).toBe(1);
  expect((await fixture.deliver()).failed).toEqual([]);
  end();
  expect(fixture.countingFailures()).toEqual([{ event: "counters.save_failed", error: "Crash", messages: 1 }]);
  expect(await fixture.messages()).toBe(0);
});

it("inbound messages count once when the counter's response is lost", async () => {
  await say({ mid: "a" });
  const end = fixture.failCounterUpdates("lost");
  await ingest();
  await fixture.deliver();
  end();
  expect(fixture.countingFailures()).toEqual([]);
  expect(await fixture.messages()).toBe(1);
});

async function sent(rest: Partial<Message> = {}): Promise<void> {
  const message = sampleMessage(fixture.tenant, {
    id: "sent",
    direction: "outbound",
    sentAt: testEnv.now(),
    ...rest,
  });
  const recorded = await outboundMessageStore(testEnv.table).record(fixture.tenant, message, testEnv.now());
  await openQueue(fixture.queues.events, testEnv.eventSource).send(messageEvent(fixture.tenant, recorded));
}

/** Two copies of its queued event, both marked as new. */
async function sentTwice(id: string): Promise<void> {
  const message = sampleMessage(fixture.tenant, { id, direction: "outbound", sentAt: testEnv.now() });
  const recorded = await outboundMessageStore(testEnv.table).record(fixture.tenant, message, testEnv.now());
  const queuedEvent = messageEvent(fixture.tenant, recorded);
  for (let copy = 0; copy < 2; copy++) await openQueue(fixture.queues.events, testEnv.eventSource).send(queuedEvent);
}

it("messages sent through the API count once with their event's delivery, however often it is published", async () => {
  const receiver = await startStatusReceiver();
  for (const status of [200, 503]) {
    await createEndpointAt(testEnv, fixture.queues, fixture.tenant, `http://127.0.0.1:${receiver.port}/${status}`, [
      "message.sent",
    ]);
    testEnv.advance(1);
  }
  await sent();
  await sent();
  await fixture.deliver();
  expect(await fixture.messages()).toBe(1);
  expect(await fixture.endpointCounts()).toEqual([
    [1, 0, 0],
    [0, 0, 0],
  ]);
});

it("messages sent through the API count once without an endpoint, however often their event is delivered", async () => {
  await sent();
  await sent();
  await fixture.deliver();
  expect(await fixture.messages()).toBe(1);
  await sentTwice("twice");
  await fixture.deliver();
  expect(await fixture.messages()).toBe(2);
});

it("messages sent through the API cost nothing extra when an endpoint subscribes to their event", async () => {
  const receiver = await startStatusReceiver();
  await createEndpointAt(testEnv, fixture.queues, fixture.tenant, `http://127.0.0.1:${receiver.port}/200`, [
    "message.sent",
  ]);
  await sentTwice("twice");
  await fixture.deliver();
  expect(await fixture.messages()).toBe(1);
  expect((await allRows(testEnv)).filter(({ PK }) => PK.startsWith(`N#${fixture.tenant}`))).toEqual([]);
});

it.each(["no endpoint", "an endpoint that is deleted since"])(
  "messages sent through the API count once when another endpoint receives the repeated event, after %s",
  async (first) => {
    const receiver = await startStatusReceiver();
    const create = () =>
      createEndpointAt(testEnv, fixture.queues, fixture.tenant, `http://127.0.0.1:${receiver.port}/200`, [
        "message.sent",
      ]);
    const endpoint = first === "no endpoint" ? null : await create();
    await sent();
    await fixture.deliver();
    expect(await fixture.messages()).toBe(1);
    testEnv.advance(SECOND);
    if (endpoint) {
      const audit = auditEntry(
        { actor: "cli" },
        { action: "webhook.delete", resource: "", detail: {}, at: testEnv.now() },
      );
      await endpointStore(testEnv.table).remove(fixture.tenant, endpoint.id, { audit, actor: null });
    }
    await create();
    // The echo, or the sweep that settles the send.
    await sent();
    await fixture.deliver();
    expect(await fixture.messages()).toBe(1);
  },
);

it("messages sent through the API count once when the event comes again before the first run has written its first row", async () => {
  const receiver = await startStatusReceiver();
  const endpoints: string[] = [];
  for (const status of [200, 410]) {
    const url = `http://127.0.0.1:${receiver.port}/${status}`;
    const { id } = await createEndpointAt(testEnv, fixture.queues, fixture.tenant, url, ["message.sent"]);
    endpoints.push(id);
    testEnv.advance(1);
  }
  const rowsOf = async (endpoint = "") =>
    (await allRows(testEnv)).filter(({ PK }) => PK === `D#${fixture.tenant}#${endpoint}#0`);
  const [counting, gone] = endpoints;
  await sent({ id: "twice" });
  let held = 0;
  const end = injectFaults(testEnv.client, async ({ command, input }): Promise<Fault> => {
    const isCountingRow = command === "PutItem" && JSON.stringify(input).includes(`D#${fixture.tenant}#${counting}#0`);
    if (!isCountingRow || held++ > 0) return "pass";
    // The 410 pauses its endpoint, so the repeated event may have had other targets.
    await expect.poll(() => rowsOf(gone), { timeout: 10_000 }).toHaveLength(1);
    await sent({ id: "twice" });
    await fixture.deliver();
    return "pass";
  });
  await fixture.deliver();
  end();
  expect(held).toBe(2);
  expect(await rowsOf(counting)).toHaveLength(1);
  expect(await fixture.messages()).toBe(1);
});

it("messages sent through the API do not count when a test key sent them", async () => {
  await sent({ scope: "test" });
  await fixture.deliver();
  expect(await fixture.messages()).toBe(0);
});

/** Of two runs at once, the one that has no claim writes the row of a delivery first. @returns a function that ends it */
function delayRowsThatCount(): () => void {
  const written = Promise.withResolvers<void>();
  return injectFaults(testEnv.client, async ({ command, input }): Promise<Fault> => {
    const { Item } = input as { readonly Item?: { readonly PK: { readonly S: string }; readonly k?: unknown } };
    if (command !== "PutItem" || !Item?.PK.S.startsWith("D#")) return "pass";
    if (!Item.k) await written.promise;
    else setTimeout(written.resolve, 20);
    return "pass";
  });
}

it.each(["with an endpoint", "with an endpoint whose row is written without the claim", "without one"])(
  "messages sent through the API count once when an unmatched echo is stored first and published last, %s",
  async (how) => {
    if (how !== "without one") {
      const receiver = await startStatusReceiver();
      await createEndpointAt(testEnv, fixture.queues, fixture.tenant, `http://127.0.0.1:${receiver.port}/200`, [
        "message.sent",
      ]);
    }
    const later = await testEnv.newQueues();
    const echo = async (to: TestQueues) => {
      const raw = instagramWebhook(fixture.account, [{ mid: "both", text: "hello", at: testEnv.now(), echo: true }]);
      await openQueue(fixture.queues.inbound, testEnv.eventSource).send({ body: inboundBody(raw, testEnv.now()) });
      await invokeWorker(
        testEnv.eventSource,
        fixture.queues.inbound,
        ingestWorker(testEnv.ingestPorts({ ...fixture.queues, events: to.events }), testEnv.now),
      );
    };
    await echo(later);
    const ref = {
      tenant: fixture.tenant,
      account: { platform: "instagram", externalId: fixture.account },
      participantId: PERSON,
    } as const;
    const send = () => sent({ id: "both", account: ref.account, conversationId: conversationId(ref) });
    // Again, as after a crash before the first publication.
    await send();
    await send();
    const end = how.includes("the claim") ? delayRowsThatCount() : () => {};
    await fixture.deliver();
    end();
    expect(await fixture.messages()).toBe(1);
    await echo(fixture.queues);
    await fixture.deliver();
    await fixture.deliver("events", later);
    expect(await fixture.messages()).toBe(1);
  },
);

it("messages sent through the API count once with their echo, whichever arrives first", async () => {
  for (const first of ["send", "echo"]) {
    const echo = async () => {
      const raw = instagramWebhook(fixture.account, [{ mid: first, text: "hello", at: testEnv.now(), echo: true }]);
      await openQueue(fixture.queues.inbound, testEnv.eventSource).send({ body: inboundBody(raw, testEnv.now()) });
      await invokeWorker(
        testEnv.eventSource,
        fixture.queues.inbound,
        ingestWorker(testEnv.ingestPorts(fixture.queues), testEnv.now),
      );
    };
    const before = await fixture.messages();
    const ref = {
      tenant: fixture.tenant,
      account: { platform: "instagram", externalId: fixture.account },
      participantId: PERSON,
    } as const;
    const send = () => sent({ id: first, account: ref.account, conversationId: conversationId(ref) });
    for (const step of first === "send" ? [send, echo] : [echo, send]) await step();
    await fixture.deliver();
    expect((await fixture.messages()) - before, first).toBe(1);
  }
});
