import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import type { QueueName } from "#base/config/names.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { encodeMail } from "#features/access/queue.ts";
import { encodeAccountTask } from "#features/accounts/queue.ts";
import { type Inspection, inspectDeadLetter, planRedrive } from "#features/dead-letters/flows/inspect.ts";
import { listDeadLetters } from "#features/dead-letters/flows/list.ts";
import { quarantineDeadLetter } from "#features/dead-letters/flows/quarantine.ts";
import { redriveDeadLetter, redriveQueue } from "#features/dead-letters/flows/redrive.ts";
import type { RedrivePorts } from "#features/dead-letters/ports.ts";
import { type QuarantinedMessage, quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { encodeEndpointTask, encodeRetry } from "#features/delivery/queue.ts";
import { replayDelivery } from "#features/delivery/replay.ts";
import { type DeliveryStatus, deliveryStatuses } from "#features/delivery/rules/deliveries.ts";
import { drainTask } from "#features/delivery/schedule.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { encodeErasure } from "#features/erasure/queue.ts";
import { restoreKey } from "#features/recovery/store/items.ts";
import { restoreStore } from "#features/recovery/store/restores.ts";
import { counterStore } from "#features/stats/store.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { encodeUpload } from "#features/uploads/queue.ts";
import { parseUpdates } from "#platforms/platforms.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { startReceiver } from "../../../base/net/receiver.ts";
import { openWebhookClient } from "../../../base/net/webhook-client-fixture.ts";
import { collectPages } from "../../../support/collect-pages.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { Crash, injectFaults } from "../../../support/faults.ts";
import { buryMessages } from "../../../support/flows/dead-letters.ts";
import { inboundBody, instagramWebhook } from "../../../support/flows/inbound-webhooks.ts";
import { invokeWorker, queueDepth, receiveBatch } from "../../../support/flows/queue-worker.ts";
import { createEndpointAt, recordMessage, startStatusReceiver } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { newTenant } from "../../../support/stores/samples.ts";

let tenant: TenantId;
// An engine refuses an item of more than 400 KB.
const testEnv = openedOnce(() => openTestEnv({ startTable: startTestTable }));
const queues = openedEach(() => testEnv.newQueues());
beforeEach(async () => {
  tenant = newTenant();
  // The dead letters of earlier tests have expired.
  testEnv.advance(8 * DAY);
  testEnv.lines.length = 0;
});

const urls = (): Readonly<Record<QueueName, string>> => ({
  Inbound: queues.inbound,
  Events: queues.events,
  Deliveries: queues.deliveries,
  SlowDeliveries: queues.slowDeliveries,
  Profiles: queues.profiles,
  Erasures: queues.erasures,
  Mails: queues.mails,
  Uploads: queues.uploads,
  Accounts: queues.accounts,
  Realtime: queues.realtime,
});

function ports(): RedrivePorts {
  const api = testEnv.apiPorts(queues);
  return {
    ...api,
    quarantine: quarantineStore(testEnv.table),
    parseUpdates,
    queueFor: (queue) => openQueue(urls()[queue], testEnv.sqs),
  };
}

/** Quarantines a batch of a queue, as if its worker had failed ten times. */
async function exhaustReceives(queue: QueueName): Promise<QuarantinedMessage[]> {
  expect(await buryMessages(testEnv.deadLetterPorts(queue, queues), testEnv.now())).toBeGreaterThan(0);
  const query = { queues: [queue], redriven: false, limit: 100 };
  return (await listDeadLetters(ports(), query, testEnv.now())).letters;
}

async function quarantineOne(queue: QueueName, body: string): Promise<QuarantinedMessage> {
  // Two letters of one instant have no defined order.
  testEnv.advance(SECOND);
  await openQueue(urls()[queue], testEnv.sqs).send({ body, group: tenant });
  const [letter] = await exhaustReceives(queue);
  if (!letter) throw new Error("No message was quarantined.");
  return letter;
}

const inspectAndPlan = async (letter: QuarantinedMessage) =>
  planRedrive(letter, await inspectDeadLetter(ports(), letter, testEnv.now()));
const redriveLetter = (letter: QuarantinedMessage) => redriveDeadLetter(ports(), letter, testEnv.now);
const findLetter = (letter: QuarantinedMessage) => ports().quarantine.get(letter.id, testEnv.now());

async function deliver(queue: "events" | "deliveries"): Promise<void> {
  const webhookClient = openWebhookClient();
  const worker = deliverWorker(testEnv.deliverPorts(queues, webhookClient), testEnv.now);
  expect((await invokeWorker(testEnv.eventSource, queues[queue], worker)).failed).toEqual([]);
}

/** A delivery whose first attempt failed and whose second became a dead letter. */
async function quarantineAttempt() {
  const answers = { status: 503 };
  const receiver = await startReceiver((response) => void response.writeHead(answers.status).end());
  const endpoint = await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/hook`);
  const { body, message } = await recordMessage(testEnv, tenant);
  await openQueue(queues.events, testEnv.sqs).send({ body });
  await deliver("events");
  testEnv.advance(6 * SECOND);
  const [letter] = await exhaustReceives("Deliveries");
  if (!letter) throw new Error("The retry was not quarantined.");
  const row = () => ports().deliveries.get(tenant, endpoint.id, message.eventUlid);
  return { answers, receiver, endpoint, eventUlid: message.eventUlid, letter, row };
}

it("a delivery's dead letter keeps the delivery at dlq until it is redriven; then the delivery starts over and succeeds", async () => {
  const { answers, receiver, letter, row } = await quarantineAttempt();
  expect(await row()).toMatchObject({ status: "dlq", attempt: 1 });
  answers.status = 200;
  expect(await inspectAndPlan(letter)).toMatchObject({ action: "replay", attempt: { attempt: 2 } });
  expect(await redriveLetter(letter)).toMatchObject({ end: "replayed", reason: null });
  expect(await row()).toMatchObject({ status: "pending", attempt: 0 });
  await deliver("deliveries");
  expect(await row()).toMatchObject({ status: "delivered", attempt: 1 });
  expect(receiver.requests).toHaveLength(2);
  const { rows } = await testEnv.apiPorts(queues).audit.list(tenant, { before: null, limit: 1, now: testEnv.now() });
  expect(rows).toMatchObject([{ action: "webhook.replay", actor: "cli" }]);
  expect(await redriveLetter(letter)).toMatchObject({ end: "taken" });
  expect(await queueDepth(testEnv.eventSource, queues.deliveries)).toBe(0);
});

it("a delivery's dead letter that arrives again after it was redriven does not abandon the delivery", async () => {
  const { answers, letter, row } = await quarantineAttempt();
  await redriveLetter(letter);
  const consumer = {
    ...ports(),
    tenants: tenantStore(testEnv.table),
    counters: counterStore(testEnv.table),
    due: dueStore(testEnv.table),
    log: () => {},
  };
  await quarantineDeadLetter(consumer, letter, new Map(), testEnv.now());
  expect(await row()).toMatchObject({ status: "pending" });
  answers.status = 200;
  await deliver("deliveries");
  expect(await row()).toMatchObject({ status: "delivered" });
});

it("a delivery's dead letter needs nothing when the tenant replayed its delivery successfully, and is marked so", async () => {
  const { answers, endpoint, eventUlid, letter, row } = await quarantineAttempt();
  answers.status = 200;
  const id = `dlv_${eventUlid}_${endpoint.id}`;
  const request = { endpointId: endpoint.id, deliveryId: id, force: false, author: { actor: "cli" } } as const;
  await replayDelivery(testEnv.apiPorts(queues), tenant, request, testEnv.now());
  await deliver("deliveries");
  expect(await redriveLetter(letter)).toMatchObject({ end: "not_needed", reason: "delivery_ended" });
  expect(await row()).toMatchObject({ status: "delivered" });
  expect(await findLetter(letter)).toMatchObject({ redriven: { end: "not_needed" } });
});

it("a delivery's dead letter cannot be redriven once its endpoint is deleted or its message is gone, and stays unchanged", async () => {
  const { endpoint, letter, row } = await quarantineAttempt();
  const unknownDelivery = { ...letter, body: letter.body.replace(endpoint.id, `7${endpoint.id.slice(1)}`) };
  expect(await inspectAndPlan(unknownDelivery)).toEqual({ action: "refuse", reason: "delivery_gone" });
  const inspection = await inspectDeadLetter(ports(), letter, testEnv.now());
  const deleted = { ...inspection, endpoint: "deleted" } as Inspection;
  expect(planRedrive(letter, deleted)).toEqual({ action: "refuse", reason: "endpoint_gone" });
  const delivery = await row();
  const ref = delivery?.source;
  if (!ref) throw new Error("The delivery has no message.");
  await testEnv.apiPorts(queues).messages.remove(tenant, ref);
  expect(await redriveLetter(letter)).toMatchObject({ end: "refused", reason: "event_gone" });
  expect(await findLetter(letter)).toMatchObject({ redriven: null, claimedUntil: null });
});

it.each(deliveryStatuses.filter((status) => status !== "dlq"))(
  "a delivery's dead letter has a plan for a delivery that is %s",
  (status) => {
    const inProgress: readonly DeliveryStatus[] = ["pending", "attempting", "retrying"];
    const attempt = { tenant, endpointId: "w", eventUlid: "e", attempt: 2 };
    const delivery = { status, attempt: 2 } as Extract<Inspection, { kind: "attempt" }>["delivery"];
    const inspection = { kind: "attempt", attempt, delivery, endpoint: "active", bodyStored: true } as const;
    const plan = planRedrive({ body: "b", cut: false }, inspection);
    expect(plan.action).toBe(inProgress.includes(status) ? "send" : "skip");
  },
);

it("an event's dead letter lists the endpoints that have a delivery; a redrive sends only to the others", async () => {
  const receiver = await startStatusReceiver();
  const endpoint = await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/200`);
  const { body } = await recordMessage(testEnv, tenant);
  const { events } = testEnv.apiPorts(queues);
  await events.send({ body, group: tenant });
  await deliver("events");
  testEnv.advance(SECOND);
  const newEndpoint = await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/204`);
  const letter = await quarantineOne("Events", body);
  expect(await inspectDeadLetter(ports(), letter, testEnv.now())).toMatchObject({
    kind: "event",
    bodyStored: true,
    endpoints: [
      { endpointId: endpoint.id, status: "active", delivery: "delivered" },
      { endpointId: newEndpoint.id, status: "active", delivery: null },
    ],
  });
  expect(await redriveLetter(letter)).toMatchObject({ end: "sent" });
  const [record] = await receiveBatch(testEnv.eventSource, queues.events);
  expect(decodeEvent(record?.body ?? "")).toMatchObject({ repeated: true });
  expect(record?.attributes.MessageGroupId).toBe(tenant);
  testEnv.advance(31 * SECOND);
  await deliver("events");
  expect(receiver.requests.map(({ url }) => url)).toEqual(["/200", "/204"]);
});

it("an event's dead letter whose message is gone cannot be redriven", async () => {
  const { body, ref } = await recordMessage(testEnv, tenant);
  const letter = await quarantineOne("Events", body);
  await testEnv.apiPorts(queues).messages.remove(tenant, ref);
  expect(await inspectAndPlan(letter)).toEqual({ action: "refuse", reason: "event_gone" });
});

it("a webhook's dead letter stores the raw bytes, lists the accounts, and becomes the message when it is redriven", async () => {
  const account = await testEnv.connect(tenant);
  const raw = instagramWebhook(account, [{ mid: "m-1", text: "a secret text", at: testEnv.now() }]);
  const letter = await quarantineOne("Inbound", inboundBody(raw, testEnv.now()));
  const inspection = await inspectDeadLetter(ports(), letter, testEnv.now());
  expect(inspection).toMatchObject({ updates: { count: 1, accounts: [`instagram#${account}`] } });
  expect(JSON.stringify([inspection.kind === "webhook" && inspection.updates, testEnv.lines])).not.toContain(
    "secret text",
  );
  expect(await redriveLetter(letter)).toMatchObject({ end: "sent" });
  await invokeWorker(testEnv.eventSource, queues.inbound, ingestWorker(testEnv.ingestPorts(queues), testEnv.now));
  expect(await testEnv.apiPorts(queues).messages.getById(tenant, "m-1", testEnv.now())).toMatchObject({
    text: "a secret text",
  });
});

it("a webhook's dead letter that was cut is refused and stays; an unreadable one is sent unchanged", async () => {
  const cut = await quarantineOne("Inbound", "x".repeat(400_000));
  expect(await redriveLetter(cut)).toMatchObject({ end: "refused", reason: "cut" });
  const unreadable = await quarantineOne("Inbound", "gibberish");
  expect(await redriveLetter(unreadable)).toMatchObject({ end: "sent" });
  const [record] = await receiveBatch(testEnv.eventSource, queues.inbound);
  expect(record?.body).toBe("gibberish");
});

it("an endpoint task is sent again unchanged", async () => {
  const task = encodeEndpointTask(drainTask(tenant, "01M7ZAN532DXZZ1TKP6RZ0YEPG"));
  const letter = await quarantineOne("Deliveries", task);
  expect(await inspectDeadLetter(ports(), letter, testEnv.now())).toMatchObject({
    kind: "task",
    task: { kind: "drain", tenant },
  });
  expect(await inspectAndPlan(letter)).toEqual({ action: "send", body: task });
});

it("an erasure that is complete, or of another tenant, needs nothing", async () => {
  const letter = await quarantineOne("Erasures", encodeErasure({ tenant, erasureId: "a".repeat(64) }));
  expect(await inspectAndPlan(letter)).toEqual({ action: "skip", reason: "erasure_over" });
});

it.each([
  { kind: "sign_in", loginId: "ab".repeat(32) },
  { kind: "invite", inviteId: "inv_01M7ZAN532DXZZ1TKP6RZ0YEPG" },
] as const)("a mail is sent to its queue again unchanged: its worker reads what it names ($kind)", async (mail) => {
  const message = encodeMail(mail.kind === "invite" ? { ...mail, tenant } : mail);
  const letter = await quarantineOne("Mails", message);
  expect(await inspectAndPlan(letter)).toEqual({ action: "send", body: message });
});

it("an upload is sent to its queue again unchanged: its worker reads whether it is still in time", async () => {
  const message = encodeUpload({ tenant, uploadId: "upl_01M7ZAN532DXZZ1TKP6RZ0YEPG" });
  const letter = await quarantineOne("Uploads", message);
  expect(await inspectAndPlan(letter)).toEqual({ action: "send", body: message });
});

it("a task of an account is sent to its queue again unchanged: its worker reads the account", async () => {
  const account = { platform: "messenger", externalId: "17" } as const;
  const task = encodeAccountTask({ op: "finish_connect", tenant, account, connectionId: newUlid(testEnv.now()) });
  const letter = await quarantineOne("Accounts", task);
  expect(await inspectAndPlan(letter)).toEqual({ action: "send", body: task });
});

const stale = (attempt: number) =>
  encodeRetry({ tenant, endpointId: "01M7ZAN532DXZZ1TKP6RZ0YEPG", eventUlid: "01M7ZAN532DXZZ1TKP6RZ0YEPH", attempt });

it("redriving by several operators at once sends each letter once", async () => {
  await openQueue(queues.inbound, testEnv.sqs).sendAll(Array.from({ length: 10 }, (_, i) => ({ body: `body ${i}` })));
  await exhaustReceives("Inbound");
  const operators = Array.from(
    { length: 3 },
    async () => await collectPages(redriveQueue(ports(), "Inbound", testEnv.now)),
  );
  const ends = (await Promise.all(operators)).flat().map(({ end }) => end);
  expect(ends.filter((end) => end === "sent")).toHaveLength(10);
  expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(10);
});

it("redriving that crashes while it marks a letter sends it again after five minutes, and not before", async () => {
  const letter = await quarantineOne("Inbound", "body");
  const end = injectFaults(testEnv.client, ({ command, index }) => {
    if (command === "UpdateItem" && index > 0) throw new Crash("here");
    return "pass";
  });
  expect(await redriveLetter(letter)).toMatchObject({ end: "failed", reason: "Crash" });
  end();
  expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(1);
  expect(await redriveLetter(letter)).toMatchObject({ end: "taken" });
  testEnv.advance(5 * MINUTE);
  expect(await redriveLetter(letter)).toMatchObject({ end: "sent" });
  expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(2);
});

it("redriving that cannot reach the queue leaves the letter unchanged and returns the class of the error", async () => {
  const letter = await quarantineOne("Inbound", "body");
  const broken = { ...ports(), queueFor: () => openQueue(`${queues.inbound}-not-there`, testEnv.sqs) };
  expect(await redriveDeadLetter(broken, letter, testEnv.now)).toMatchObject({
    end: "failed",
    reason: expect.stringMatching(/Queue/),
  });
  expect(await findLetter(letter)).toMatchObject({ redriven: null, claimedUntil: null });
  expect(await redriveLetter(letter)).toMatchObject({ end: "sent" });
});

it("redriving lists redriven letters only on request, and the newest letter of all queues first", async () => {
  const first = await quarantineOne("Inbound", "first");
  testEnv.advance(SECOND);
  const second = await quarantineOne("Deliveries", stale(2));
  testEnv.advance(SECOND);
  const third = await quarantineOne("Inbound", "third");
  const list = (redriven: boolean, limit = 10) =>
    listDeadLetters(ports(), { queues: ["Inbound", "Deliveries"], redriven, limit }, testEnv.now());
  const ids = (letters: readonly QuarantinedMessage[]) => letters.map(({ id }) => id);
  expect(ids((await list(false)).letters)).toEqual(ids([third, second, first]));
  expect(await list(false, 2)).toMatchObject({ letters: [{ id: third.id }, { id: second.id }], more: true });
  await redriveLetter(third);
  expect(ids((await list(false)).letters)).toEqual(ids([second, first]));
  expect(ids((await list(true)).letters)).toEqual(ids([third, second, first]));
});

it("a webhook of before the histories of a restore were read is not redriven, and stays", async () => {
  const body = () => inboundBody(instagramWebhook("1784", []), testEnv.now());
  const [before, later] = [await quarantineOne("Inbound", body()), await quarantineOne("Inbound", '{"v":99}')];
  const restores = restoreStore(testEnv.table);
  const refused = { end: "refused", reason: "before_restore" };
  const from = testEnv.now() - HOUR;
  await restores.start(from, testEnv.now());
  expect(await inspectAndPlan(before)).toEqual({ action: "refuse", reason: "before_restore" });
  expect([await redriveLetter(before), await redriveLetter(later)]).toMatchObject([refused, refused]);
  await restores.setFetchUntil(from, testEnv.now());
  await restores.end(from, testEnv.now());
  expect([await redriveLetter(before), await redriveLetter(later)]).toMatchObject([refused, refused]);
  expect(await findLetter(before)).toMatchObject({ redriven: null, claimedUntil: null });
  expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(0);
  testEnv.advance(SECOND);
  const after = await quarantineOne("Inbound", body());
  expect(await redriveLetter(after)).toMatchObject({ end: "sent" });
  const { client, name } = testEnv.table;
  await client.send(new DeleteCommand({ TableName: name, Key: restoreKey }));
});
