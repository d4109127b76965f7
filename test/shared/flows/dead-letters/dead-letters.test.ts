import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deadLettersWorker } from "../../../../functions/dead-letters/worker.ts";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import type { QueueName } from "../../../../shared/config/names.ts";
import { type DeliveryStatus, deliveryStatuses } from "../../../../shared/domain/delivery/deliveries.ts";
import { type Findings, lookInto, planFor } from "../../../../shared/flows/dead-letters/inspect.ts";
import { listDeadLetters } from "../../../../shared/flows/dead-letters/list.ts";
import { keepDeadLetter } from "../../../../shared/flows/dead-letters/quarantine.ts";
import { redrive, redriveQueue } from "../../../../shared/flows/dead-letters/redrive.ts";
import { drainOf, writeStep } from "../../../../shared/flows/delivery/endpoint-tasks.ts";
import { replayDelivery } from "../../../../shared/flows/delivery/replay.ts";
import type { RedrivePorts } from "../../../../shared/flows/ports.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { DAY, MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { parseUpdates } from "../../../../shared/platforms/parse.ts";
import { readEvent, writeErasure, writeRetry } from "../../../../shared/queues/messages.ts";
import { type KeptLetter, quarantineStore } from "../../../../shared/stores/dead-letters/quarantine.ts";
import { dueStore } from "../../../../shared/stores/delivery/due-attempts.ts";
import { counterStore } from "../../../../shared/stores/stats/counters.ts";
import { Crash, injectFaults } from "../../../support/faults.ts";
import { allOf } from "../../../support/pages.ts";
import { openPoster } from "../../net/posting.ts";
import { startReceiver } from "../../net/receiver.ts";
import { newTenant } from "../../stores/support/samples.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { depth, handOut, receive } from "../support/queue-work.ts";
import { announce, endpointAt, statusReceiver } from "../support/receivers.ts";
import { inboundOf, webhook } from "../support/webhooks.ts";

let house: House;
let lane: Lane;
let tenant: TenantId;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  lane = await house.newLane();
  tenant = newTenant();
  // What earlier tests set aside has expired.
  house.turn(8 * DAY);
  house.lines.length = 0;
});

const urls = (): Readonly<Record<QueueName, string>> => ({
  Inbound: lane.inbound,
  Events: lane.events,
  Deliveries: lane.deliveries,
  Profiles: lane.profiles,
  Erasures: lane.erasures,
});

function ports(): RedrivePorts {
  const api = house.apiPorts(lane);
  return {
    ...api,
    quarantine: quarantineStore(house.table),
    parseUpdates,
    queueOf: (queue) => openQueue(urls()[queue], house.sqs),
  };
}

/** What waits in a queue becomes dead letters, as if its worker had failed five times. */
async function letDie(queue: QueueName): Promise<KeptLetter[]> {
  const own = ports();
  const worker = deadLettersWorker(
    {
      queueBehind: () => queue,
      quarantine: own.quarantine,
      deliveries: own.deliveries,
      due: dueStore(house.table),
      counters: counterStore(house.table),
      log: (line) => house.lines.push(line),
    },
    house.now,
  );
  expect((await handOut(house.eventSource, urls()[queue], worker)).failed).toEqual([]);
  const { letters } = await listDeadLetters(own, { queues: [queue], redriven: false, limit: 100 }, house.now());
  return letters;
}

async function oneDead(queue: QueueName, body: string): Promise<KeptLetter> {
  // Two of one instant are in no order.
  house.turn(SECOND);
  await openQueue(urls()[queue], house.sqs).send({ body, group: tenant });
  const [letter] = await letDie(queue);
  if (!letter) throw new Error("Nothing was set aside.");
  return letter;
}

const planOf = async (letter: KeptLetter) => planFor(letter, await lookInto(ports(), letter, house.now()));
const again = (letter: KeptLetter) => redrive(ports(), letter, house.now);
const found = (letter: KeptLetter) => ports().quarantine.find(letter.id, house.now());

async function deliver(queue: "events" | "deliveries"): Promise<void> {
  const poster = openPoster();
  const worker = deliverWorker(house.deliverPorts(lane, poster), house.now, async () => {});
  expect((await handOut(house.eventSource, lane[queue], worker)).failed).toEqual([]);
}

/** A delivery whose first attempt failed and whose second became a dead letter. */
async function deadAttempt() {
  const answers = { status: 503 };
  const receiver = await startReceiver((response) => void response.writeHead(answers.status).end());
  const endpoint = await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/hook`);
  const { body, message } = await announce(house, tenant);
  await openQueue(lane.events, house.sqs).send({ body });
  await deliver("events");
  house.turn(6 * SECOND);
  const [letter] = await letDie("Deliveries");
  if (!letter) throw new Error("The retry was not set aside.");
  const row = () => ports().deliveries.get(tenant, endpoint.id, message.eventUlid);
  return { answers, receiver, endpoint, eventUlid: message.eventUlid, letter, row };
}

describe("a delivery's dead letter", () => {
  it("says dlq until it is redriven, begins anew then, and comes through", async () => {
    const { answers, receiver, letter, row } = await deadAttempt();
    expect(await row()).toMatchObject({ status: "dlq", attempt: 1 });
    answers.status = 200;
    expect(await planOf(letter)).toMatchObject({ does: "replay", attempt: { attempt: 2 } });
    expect(await again(letter)).toMatchObject({ end: "replayed", why: null });
    expect(await row()).toMatchObject({ status: "pending", attempt: 0 });
    await deliver("deliveries");
    expect(await row()).toMatchObject({ status: "delivered", attempt: 1 });
    expect(receiver.taken).toHaveLength(2);
    const { rows } = await house.apiPorts(lane).audit.list(tenant, { before: null, limit: 1, now: house.now() });
    expect(rows).toMatchObject([{ action: "webhook.replay", actor: "cli" }]);
    expect(await again(letter)).toMatchObject({ end: "taken" });
    expect(await depth(house.eventSource, lane.deliveries)).toBe(0);
  });

  it("that comes a second time after it was redriven gives nothing up", async () => {
    const { answers, letter, row } = await deadAttempt();
    await again(letter);
    const consumer = {
      ...ports(),
      queueBehind: () => null,
      counters: counterStore(house.table),
      due: dueStore(house.table),
      log: () => {},
    };
    await keepDeadLetter(consumer, letter, new Map(), house.now());
    expect(await row()).toMatchObject({ status: "pending" });
    answers.status = 200;
    await deliver("deliveries");
    expect(await row()).toMatchObject({ status: "delivered" });
  });

  it("whose delivery the tenant replayed and that came through needs nothing, and is marked so", async () => {
    const { answers, endpoint, eventUlid, letter, row } = await deadAttempt();
    answers.status = 200;
    const id = `dlv_${eventUlid}_${endpoint.id}`;
    const request = { endpointId: endpoint.id, deliveryId: id, force: false, caller: "cli", ip: null } as const;
    await replayDelivery(house.apiPorts(lane), tenant, request, house.now());
    await deliver("deliveries");
    expect(await again(letter)).toMatchObject({ end: "not_needed", why: "delivery_ended" });
    expect(await row()).toMatchObject({ status: "delivered" });
    expect(await found(letter)).toMatchObject({ redriven: { end: "not_needed" } });
  });

  it("cannot be redriven once its endpoint is deleted or its message is gone, and stays as it is", async () => {
    const { endpoint, letter, row } = await deadAttempt();
    const gone = { ...letter, body: letter.body.replace(endpoint.id, `7${endpoint.id.slice(1)}`) };
    expect(await planOf(gone)).toEqual({ does: "refuse", why: "delivery_gone" });
    const findings = await lookInto(ports(), letter, house.now());
    const deleted = { ...findings, endpoint: "deleted" } as Findings;
    expect(planFor(letter, deleted)).toEqual({ does: "refuse", why: "endpoint_gone" });
    const delivery = await row();
    const ref = delivery?.source;
    if (!ref) throw new Error("There is no message.");
    await house.apiPorts(lane).messages.remove(tenant, ref);
    expect(await again(letter)).toMatchObject({ end: "refused", why: "event_gone" });
    expect(await found(letter)).toMatchObject({ redriven: null, claimedUntil: null });
  });

  it.each(deliveryStatuses.filter((status) => status !== "dlq"))("has a plan for one that is %s", (status) => {
    const underWay: readonly DeliveryStatus[] = ["pending", "attempting", "retrying"];
    const attempt = { tenant, endpointId: "w", eventUlid: "e", attempt: 2 };
    const delivery = { status, attempt: 2 } as Extract<Findings, { kind: "attempt" }>["delivery"];
    const findings = { kind: "attempt", attempt, delivery, endpoint: "active", bodyKept: true } as const;
    const plan = planFor({ body: "b", cut: false }, findings);
    expect(plan.does).toBe(underWay.includes(status) ? "send" : "nothing");
  });
});

describe("an event's dead letter", () => {
  it("names the endpoints that were told, and redriven tells the others alone", async () => {
    const receiver = await statusReceiver();
    const told = await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/200`);
    const { body } = await announce(house, tenant);
    const { events } = house.apiPorts(lane);
    await events.send({ body, group: tenant });
    await deliver("events");
    house.turn(SECOND);
    const untold = await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/204`);
    const letter = await oneDead("Events", body);
    expect(await lookInto(ports(), letter, house.now())).toMatchObject({
      kind: "event",
      bodyKept: true,
      endpoints: [
        { endpointId: told.id, status: "active", delivery: "delivered" },
        { endpointId: untold.id, status: "active", delivery: null },
      ],
    });
    expect(await again(letter)).toMatchObject({ end: "sent" });
    const [record] = await receive(house.eventSource, lane.events);
    expect(readEvent(record?.body ?? "")).toMatchObject({ repeated: true });
    expect(record?.attributes.MessageGroupId).toBe(tenant);
    house.turn(31 * SECOND);
    await deliver("events");
    expect(receiver.taken.map(({ url }) => url)).toEqual(["/200", "/204"]);
  });

  it("whose message is gone cannot be redriven", async () => {
    const { body, ref } = await announce(house, tenant);
    const letter = await oneDead("Events", body);
    await house.apiPorts(lane).messages.remove(tenant, ref);
    expect(await planOf(letter)).toEqual({ does: "refuse", why: "event_gone" });
  });
});

describe("a webhook's dead letter", () => {
  it("holds the raw bytes, says what accounts they are about, and redriven becomes the message", async () => {
    const account = await house.connect(tenant);
    const raw = webhook(account, [{ mid: "m-1", text: "a secret text", at: house.now() }]);
    const letter = await oneDead("Inbound", inboundOf(raw, house.now()));
    const findings = await lookInto(ports(), letter, house.now());
    expect(findings).toMatchObject({ updates: { count: 1, accounts: [`instagram#${account}`] } });
    expect(JSON.stringify([findings.kind === "webhook" && findings.updates, house.lines])).not.toContain("secret text");
    expect(await again(letter)).toMatchObject({ end: "sent" });
    await handOut(house.eventSource, lane.inbound, ingestWorker(house.ingestPorts(lane), house.now));
    expect(await house.apiPorts(lane).messages.byId(tenant, "m-1", house.now())).toMatchObject({
      text: "a secret text",
    });
  });

  it("that was cut is refused and stays; one that nobody can read is sent as it was", async () => {
    const cut = await oneDead("Inbound", "x".repeat(400_000));
    expect(await again(cut)).toMatchObject({ end: "refused", why: "cut" });
    const unreadable = await oneDead("Inbound", "gibberish");
    expect(await again(unreadable)).toMatchObject({ end: "sent" });
    const [record] = await receive(house.eventSource, lane.inbound);
    expect(record?.body).toBe("gibberish");
  });
});

it("a step of an endpoint is sent again as it was", async () => {
  const step = writeStep(drainOf(tenant, "01M7ZAN532DXZZ1TKP6RZ0YEPG"));
  const letter = await oneDead("Deliveries", step);
  expect(await lookInto(ports(), letter, house.now())).toMatchObject({ kind: "step", step: { step: "drain", tenant } });
  expect(await planOf(letter)).toEqual({ does: "send", body: step });
});

it("an erasure that is over, or of another tenant, needs nothing", async () => {
  const letter = await oneDead("Erasures", writeErasure({ tenant, erasureId: "a".repeat(64) }));
  expect(await planOf(letter)).toEqual({ does: "nothing", why: "erasure_over" });
});

describe("redriving", () => {
  const stale = (attempt: number) =>
    writeRetry({ tenant, endpointId: "01M7ZAN532DXZZ1TKP6RZ0YEPG", eventUlid: "01M7ZAN532DXZZ1TKP6RZ0YEPH", attempt });

  it("by several operators at once sends each letter once", async () => {
    await openQueue(lane.inbound, house.sqs).sendAll(Array.from({ length: 10 }, (_, i) => ({ body: `body ${i}` })));
    await letDie("Inbound");
    const operators = Array.from({ length: 3 }, async () => await allOf(redriveQueue(ports(), "Inbound", house.now)));
    const ends = (await Promise.all(operators)).flat().map(({ end }) => end);
    expect(ends.filter((end) => end === "sent")).toHaveLength(10);
    expect(await depth(house.eventSource, lane.inbound)).toBe(10);
  });

  it("that dies over the mark leaves a letter that is sent again five minutes later, and not before", async () => {
    const letter = await oneDead("Inbound", "body");
    const end = injectFaults(house.client, ({ command, index }) => {
      if (command === "UpdateItem" && index > 0) throw new Crash("here");
      return "pass";
    });
    expect(await again(letter)).toMatchObject({ end: "failed", why: "Crash" });
    end();
    expect(await depth(house.eventSource, lane.inbound)).toBe(1);
    expect(await again(letter)).toMatchObject({ end: "taken" });
    house.turn(5 * MINUTE);
    expect(await again(letter)).toMatchObject({ end: "sent" });
    expect(await depth(house.eventSource, lane.inbound)).toBe(2);
  });

  it("that cannot reach the queue leaves the letter as it was, with the class of the error", async () => {
    const letter = await oneDead("Inbound", "body");
    const broken = { ...ports(), queueOf: () => openQueue(`${lane.inbound}-not-there`, house.sqs) };
    expect(await redrive(broken, letter, house.now)).toMatchObject({
      end: "failed",
      why: expect.stringMatching(/Queue/),
    });
    expect(await found(letter)).toMatchObject({ redriven: null, claimedUntil: null });
    expect(await again(letter)).toMatchObject({ end: "sent" });
  });

  it("does not list what was redriven unless it is asked for, and lists the newest of all queues first", async () => {
    const first = await oneDead("Inbound", "first");
    house.turn(SECOND);
    const second = await oneDead("Deliveries", stale(2));
    house.turn(SECOND);
    const third = await oneDead("Inbound", "third");
    const list = (redriven: boolean, limit = 10) =>
      listDeadLetters(ports(), { queues: ["Inbound", "Deliveries"], redriven, limit }, house.now());
    const ids = (letters: readonly KeptLetter[]) => letters.map(({ id }) => id);
    expect(ids((await list(false)).letters)).toEqual(ids([third, second, first]));
    expect(await list(false, 2)).toMatchObject({ letters: [{ id: third.id }, { id: second.id }], more: true });
    await again(third);
    expect(ids((await list(false)).letters)).toEqual(ids([second, first]));
    expect(ids((await list(true)).letters)).toEqual(ids([third, second, first]));
  });
});
