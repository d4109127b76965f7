import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { messageEvent } from "#features/delivery/event-queue.ts";
import { encodeRetry } from "#features/delivery/queue.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { outboundMessageStore } from "#features/inbox/store/outbound-messages.ts";
import { publishSendFailed } from "#features/sending/flows/settle.ts";
import { sendRecordStore } from "#features/sending/store/send-records.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import { startReceiver } from "../../../base/net/receiver.ts";
import { injectFaults } from "../../../support/faults.ts";
import { openCountFixture } from "../../../support/flows/counter-fixture.ts";
import { buryMessages } from "../../../support/flows/dead-letters.ts";
import { queueDepth } from "../../../support/flows/queue-worker.ts";
import { createEndpointAt, recordMessage, startStatusReceiver } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { SAMPLE_INBOX, sampleConversationId, sampleMessage } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openCountFixture(testEnv));
beforeEach(async () => {
  testEnv.lines.length = 0;
});

async function endpoint(status: number): Promise<Endpoint> {
  const receiver = await startStatusReceiver();
  testEnv.advance(1);
  return createEndpointAt(testEnv, fixture.queues, fixture.tenant, `http://127.0.0.1:${receiver.port}/${status}`);
}
const publishAll = async (...ids: string[]) => {
  for (const id of ids) {
    await openQueue(fixture.queues.events, testEnv.eventSource).send({
      body: (await recordMessage(testEnv, fixture.tenant, id)).body,
    });
  }
};

it("deliveries count their final state on the first attempt, and nothing before it is final", async () => {
  for (const status of [200, 410, 503]) await endpoint(status);
  await publishAll("a", "b");
  await fixture.deliver();
  expect(await fixture.endpointCounts()).toEqual([
    [2, 0, 0],
    [0, 2, 0],
    [0, 0, 0],
  ]);
});

it("deliveries count once when their event is redelivered, even when the write's response was lost", async () => {
  await endpoint(200);
  await publishAll("a");
  let lost = 0;
  const end = injectFaults(testEnv.client, ({ command }) => (command === "PutItem" && lost++ === 0 ? "lost" : "pass"));
  await fixture.deliver();
  end();
  expect(lost).toBe(2);
  expect(await fixture.endpointCounts()).toEqual([[1, 0, 0]]);
  await publishAll("a");
  await fixture.deliver();
  expect(await fixture.endpointCounts()).toEqual([[1, 0, 0]]);
});

it("deliveries count the final state of a retry once, even when the write's response was lost", async () => {
  let status = 503;
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  await createEndpointAt(testEnv, fixture.queues, fixture.tenant, `http://127.0.0.1:${receiver.port}/`);
  await publishAll("a");
  await fixture.deliver();
  expect(await fixture.endpointCounts()).toEqual([[0, 0, 0]]);
  status = 410;
  testEnv.advance(6 * SECOND);
  let settles = 0;
  const end = injectFaults(testEnv.client, ({ command, input }) => {
    const settling = command === "UpdateItem" && JSON.stringify(input).includes('"failed"');
    return settling && settles++ === 0 ? "lost" : "pass";
  });
  await fixture.deliver("deliveries");
  end();
  expect(settles).toBe(2);
  expect(await fixture.endpointCounts()).toEqual([[0, 1, 0]]);
});

it("deliveries of a failed send count for a live key, and not for a test key", async () => {
  const receiver = await startStatusReceiver();
  await createEndpointAt(testEnv, fixture.queues, fixture.tenant, `http://127.0.0.1:${receiver.port}/200`, [
    "message.failed",
  ]);
  await conversationStore(testEnv.table).advanceHead(
    fixture.tenant,
    sampleMessage(fixture.tenant, { id: "in", sentAt: testEnv.now() }),
    SAMPLE_INBOX,
  );
  const head = await conversationStore(testEnv.table).get(
    fixture.tenant,
    sampleConversationId(fixture.tenant),
    testEnv.now(),
  );
  if (!head) throw new Error("There is no conversation.");
  const ports = {
    eventBodies: eventBodyStore(testEnv.table),
    events: openQueue(fixture.queues.events, testEnv.eventSource),
  };
  for (const scope of ["test", "live"] as const) {
    const author = { via: "api_in_window", actorId: null, holdId: null, replyTo: null } as const;
    const send = { id: newUlid(testEnv.now()), content: "", scope, ...author };
    const content = { kind: "text", text: "hello" } as const;
    const attempt = { tenant: fixture.tenant, head, send, content, startedAt: testEnv.now(), shards: 1 };
    await sendRecordStore(testEnv.table).start(head.id, send, testEnv.now());
    await publishSendFailed(ports, attempt, "refused", { repeated: false });
    await fixture.deliver();
    expect(await fixture.endpointCounts()).toEqual([[scope === "test" ? 0 : 1, 0, 0]]);
  }
  expect(await fixture.messages()).toBe(0);
});

/** These messages of the deliveries queue become dead letters. */
async function die(...bodies: string[]): Promise<void> {
  const dead = await testEnv.newQueues();
  await openQueue(dead.deliveries, testEnv.eventSource).sendAll(bodies.map((body) => ({ body })));
  await buryMessages(testEnv.deadLetterPorts("Deliveries", dead), testEnv.now());
}

it("deliveries of a test key's send never count: first attempt, retry, replay and dead letter", async () => {
  let status = 200;
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  const url = `http://127.0.0.1:${receiver.port}/`;
  const { id: endpointId } = await createEndpointAt(testEnv, fixture.queues, fixture.tenant, url, ["message.sent"]);
  const send = async (id: string, scope: Scope, answer: number) => {
    status = answer;
    const message = sampleMessage(fixture.tenant, { id, direction: "outbound", sentAt: testEnv.now(), scope });
    const recorded = await outboundMessageStore(testEnv.table).record(fixture.tenant, message, testEnv.now());
    await openQueue(fixture.queues.events, testEnv.eventSource).send(messageEvent(fixture.tenant, recorded));
    await fixture.deliver();
    status = 200;
    return { tenant: fixture.tenant, endpointId, eventUlid: message.eventUlid };
  };
  const store = deliveryStore(testEnv.table);
  const attempt = async (target: { tenant: TenantId; endpointId: string; eventUlid: string }, number: number) => {
    await openQueue(fixture.queues.deliveries, testEnv.eventSource).send({
      body: encodeRetry({ ...target, attempt: number }),
    });
    await fixture.deliver("deliveries");
    expect((await store.get(fixture.tenant, endpointId, target.eventUlid))?.status).toBe("delivered");
  };
  for (const scope of ["test", "live"] as const) {
    const sent = await send(`${scope} delivered`, scope, 200);
    await store.reset(fixture.tenant, sent, { trigger: "forced_replay", author: null, now: testEnv.now() });
    await attempt(sent, 1);
    const retried = await send(`${scope} retried`, scope, 503);
    const abandoned = await send(`${scope} abandoned`, scope, 503);
    await die(encodeRetry({ ...abandoned, attempt: 2 }));
    expect((await store.get(fixture.tenant, endpointId, abandoned.eventUlid))?.status).toBe("dlq");
    testEnv.advance(6 * SECOND);
    await attempt(retried, 2);
    expect(await fixture.endpointCounts()).toEqual(scope === "test" ? [[0, 0, 0]] : [[3, 0, 1]]);
  }
});

it("deliveries complete when counting fails, and the failure is logged", async () => {
  await endpoint(200);
  await publishAll("a");
  const end = fixture.failCounterUpdates("crash");
  expect((await fixture.deliver()).failed).toEqual([]);
  end();
  expect(fixture.countingFailures()).toEqual([{ event: "counters.save_failed", error: "Crash", messages: 1 }]);
  expect(await queueDepth(testEnv.eventSource, fixture.queues.events)).toBe(0);
});

it("deliveries count as dlq once when no worker could process them, however often the dead letter is received", async () => {
  const { id: endpointId } = await endpoint(503);
  await publishAll("a");
  await fixture.deliver();
  const { rows } = await deliveryStore(testEnv.table).list(fixture.tenant, {
    endpointId,
    before: null,
    limit: 1,
    now: testEnv.now(),
  });
  const body = encodeRetry({ tenant: fixture.tenant, endpointId, eventUlid: rows[0]?.eventUlid ?? "", attempt: 2 });
  await die(body, body);
  testEnv.advance(MINUTE);
  await die(body);
  expect(await fixture.endpointCounts()).toEqual([[0, 0, 1]]);
  expect((await fixture.stats()).dlq).toBe(1);
});
