import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deadLettersWorker } from "../../../functions/workers/dead-letters.ts";
import { deliverWorker } from "../../../functions/workers/deliver.ts";
import { ingestWorker } from "../../../functions/workers/ingest.ts";
import { openQueue } from "../../../shared/aws/queues.ts";
import { conversationId } from "../../../shared/domain/conversations.ts";
import type { Endpoint } from "../../../shared/domain/endpoints.ts";
import type { Message } from "../../../shared/domain/messages.ts";
import { announcementOf } from "../../../shared/flows/announcement.ts";
import { writeRetry } from "../../../shared/flows/queue-messages.ts";
import { readStats } from "../../../shared/flows/read-stats.ts";
import type { TenantId } from "../../../shared/kernel/tenant.ts";
import { MINUTE, SECOND } from "../../../shared/kernel/time.ts";
import { counterStore } from "../../../shared/table/counters.ts";
import { deliveryStore } from "../../../shared/table/deliveries.ts";
import { dueStore } from "../../../shared/table/due.ts";
import { endpointStore } from "../../../shared/table/endpoints.ts";
import { outboundMessageStore } from "../../../shared/table/outbound-messages.ts";
import { quarantineStore } from "../../../shared/table/quarantine.ts";
import { type Fault, injectFaults } from "../../support/faults.ts";
import { openPoster } from "../net/posting.ts";
import { startReceiver } from "../net/receiver.ts";
import { messageOf, newTenant, PERSON } from "../table/support/samples.ts";
import { type House, type Lane, openHouse } from "./support/house.ts";
import { depth, handOut } from "./support/queue-work.ts";
import { announce, endpointAt, statusReceiver } from "./support/receivers.ts";
import { inboundOf, type Said, webhook } from "./support/webhooks.ts";

let house: House;
let lane: Lane;
let tenant: TenantId;
let account: string;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  lane = await house.newLane();
  tenant = newTenant();
  account = await house.connect(tenant);
  house.lines.length = 0;
});

const stats = () =>
  readStats({ counters: counterStore(house.table), endpoints: endpointStore(house.table) }, tenant, house.now());
const messages = async () => (await stats()).messages;
/** Delivered, failed and dlq of the tenant's endpoints. */
const states = async () => (await stats()).endpoints.map(({ delivered, failed, dlq }) => [delivered, failed, dlq]);
const failures = () => house.lines.filter(({ event }) => event === "counting_failed");

/** Only the counters' own update is spoiled. */
function spoilCounting(fault: Fault): () => void {
  let first = true;
  return injectFaults(house.client, ({ command, input }) => {
    const counting = command === "UpdateItem" && JSON.stringify(input).includes(`"S#${tenant}"`);
    if (!counting || (!first && fault !== "crash")) return "pass";
    first = false;
    return fault;
  });
}

describe("messages that come in", () => {
  const say = async (...said: (Partial<Said> & { mid: string })[]) => {
    const raw = webhook(
      account,
      said.map((one) => ({ text: one.mid, at: house.now(), ...one })),
    );
    await openQueue(lane.inbound, house.eventSource).send({ body: inboundOf(raw, house.now()) });
  };
  const ingest = (ports = house.ingestPorts(lane)) =>
    handOut(house.eventSource, lane.inbound, ingestWorker(ports, house.now));

  it("count once however often and wherever they are repeated, in both directions", async () => {
    await say({ mid: "a" }, { mid: "b" }, { mid: "a" });
    await say({ mid: "b" }, { mid: "echo", echo: true });
    await ingest();
    await say({ mid: "a" }, { mid: "echo", echo: true }, { mid: "c" });
    await ingest();
    expect(await messages()).toBe(4);
  });

  it("are one update for each tenant of the batch", async () => {
    const other = newTenant();
    const shop = await house.connect(other);
    await say({ mid: "a" });
    await say({ mid: "b" });
    const raw = webhook(shop, [{ mid: "c", text: "c", at: house.now() }]);
    await openQueue(lane.inbound, house.eventSource).send({ body: inboundOf(raw, house.now()) });
    const counted: string[] = [];
    const end = injectFaults(house.client, ({ command, input }) => {
      const { PK } = (input as { Key?: { PK?: { S: string } } }).Key ?? {};
      if (command === "UpdateItem" && PK?.S.startsWith("S#")) counted.push(PK.S);
      return "pass";
    });
    await ingest();
    end();
    expect(counted.sort()).toEqual([`S#${tenant}`, `S#${other}`].sort());
    expect(await messages()).toBe(2);
    tenant = other;
    expect(await messages()).toBe(1);
  });

  it("count also where the batch failed later: they are there when it comes again", async () => {
    await say({ mid: "a" }, { mid: "stuck" }, { mid: "b" });
    const end = injectFaults(house.client, ({ command, input }) =>
      command === "PutItem" && JSON.stringify(input).includes("#stuck") ? "crash" : "pass",
    );
    expect((await ingest()).failed).toHaveLength(1);
    end();
    expect(await messages()).toBe(1);
    house.turn(31 * SECOND);
    expect((await ingest()).failed).toEqual([]);
    expect(await messages()).toBe(3);

    await say({ mid: "c" });
    const broken = house.ingestPorts({ ...lane, events: `${lane.events}-gone` });
    expect((await ingest(broken)).failed).toHaveLength(1);
    house.turn(31 * SECOND);
    await ingest();
    expect(await messages()).toBe(4);
  });

  it("are kept and announced though they cannot be counted, and a line says so", async () => {
    await say({ mid: "a" });
    const end = spoilCounting("crash");
    expect((await ingest()).failed).toEqual([]);
    end();
    expect(failures()).toEqual([{ event: "counting_failed", error: "Crash", messages: 1 }]);
    expect(await depth(house.eventSource, lane.events)).toBe(1);
    expect(await messages()).toBe(0);
  });

  it("count once where the counter's answer is lost", async () => {
    await say({ mid: "a" });
    const end = spoilCounting("lost");
    await ingest();
    end();
    expect(failures()).toEqual([]);
    expect(await messages()).toBe(1);
  });
});

/** The deliver worker over a queue of its lane, a process of its own each time. */
async function deliver(queue: "events" | "deliveries" = "events") {
  const ports = house.deliverPorts(lane, openPoster());
  const worker = deliverWorker(ports, house.now, (record, after) =>
    ports.retries.postpone(record.receiptHandle, after),
  );
  return handOut(house.eventSource, lane[queue], worker);
}

describe("messages that our API sent", () => {
  async function sent(rest: Partial<Message> = {}): Promise<void> {
    const message = messageOf(tenant, { id: "sent", direction: "outbound", sentAt: house.now(), ...rest });
    const kept = await outboundMessageStore(house.table).record(tenant, message, house.now());
    await openQueue(lane.events, house.eventSource).send(announcementOf(tenant, kept));
  }

  it("count once with their event's delivery, however often it is announced", async () => {
    const receiver = await statusReceiver();
    for (const status of [200, 503]) {
      await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/${status}`, ["message.sent"]);
      house.turn(1);
    }
    await sent();
    await sent();
    await deliver();
    expect(await messages()).toBe(1);
    expect(await states()).toEqual([
      [1, 0, 0],
      [0, 0, 0],
    ]);
  });

  it("count without an endpoint, too", async () => {
    await sent();
    await sent();
    await deliver();
    expect(await messages()).toBe(1);
  });

  it("do not count when a test key sent them", async () => {
    await sent({ scope: "test" });
    await deliver();
    expect(await messages()).toBe(0);
  });

  it("count once with their echo, whichever comes first", async () => {
    for (const first of ["send", "echo"]) {
      const echo = async () => {
        const raw = webhook(account, [{ mid: first, text: "hello", at: house.now(), echo: true }]);
        await openQueue(lane.inbound, house.eventSource).send({ body: inboundOf(raw, house.now()) });
        await handOut(house.eventSource, lane.inbound, ingestWorker(house.ingestPorts(lane), house.now));
      };
      const before = await messages();
      const ref = { tenant, account: { platform: "instagram", externalId: account }, participantId: PERSON } as const;
      const send = () => sent({ id: first, account: ref.account, conversationId: conversationId(ref) });
      for (const step of first === "send" ? [send, echo] : [echo, send]) await step();
      await deliver();
      expect((await messages()) - before, first).toBe(1);
    }
  });
});

describe("deliveries", () => {
  async function endpoint(status: number): Promise<Endpoint> {
    const receiver = await statusReceiver();
    house.turn(1);
    return endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/${status}`);
  }
  const announceAll = async (...ids: string[]) => {
    for (const id of ids) {
      await openQueue(lane.events, house.eventSource).send({ body: (await announce(house, tenant, id)).body });
    }
  };

  it("count the state they reach on their first attempt, and nothing while they go on", async () => {
    for (const status of [200, 410, 503]) await endpoint(status);
    await announceAll("a", "b");
    await deliver();
    expect(await states()).toEqual([
      [2, 0, 0],
      [0, 2, 0],
      [0, 0, 0],
    ]);
  });

  it("count once when their event comes again, also where the row's answer was lost", async () => {
    await endpoint(200);
    await announceAll("a");
    let lost = 0;
    const end = injectFaults(house.client, ({ command }) => (command === "PutItem" && lost++ === 0 ? "lost" : "pass"));
    await deliver();
    end();
    expect(lost).toBe(2);
    expect(await states()).toEqual([[1, 0, 0]]);
    await announceAll("a");
    await deliver();
    expect(await states()).toEqual([[1, 0, 0]]);
  });

  it("count what a retry ends in, once, also where the row's answer was lost", async () => {
    let status = 503;
    const receiver = await startReceiver((response) => response.writeHead(status).end());
    await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/`);
    await announceAll("a");
    await deliver();
    expect(await states()).toEqual([[0, 0, 0]]);
    status = 410;
    house.turn(6 * SECOND);
    let settles = 0;
    const end = injectFaults(house.client, ({ command, input }) => {
      const settling = command === "UpdateItem" && JSON.stringify(input).includes('"failed"');
      return settling && settles++ === 0 ? "lost" : "pass";
    });
    await deliver("deliveries");
    end();
    expect(settles).toBe(2);
    expect(await states()).toEqual([[0, 1, 0]]);
  });

  it("are done with though they cannot be counted, and a line says so", async () => {
    await endpoint(200);
    await announceAll("a");
    const end = spoilCounting("crash");
    expect((await deliver()).failed).toEqual([]);
    end();
    expect(failures()).toEqual([{ event: "counting_failed", error: "Crash", messages: 0 }]);
    expect(await depth(house.eventSource, lane.events)).toBe(0);
  });

  it("count as dlq when no worker could process them, once however often the dead letter comes", async () => {
    const { id: endpointId } = await endpoint(503);
    await announceAll("a");
    await deliver();
    const { rows } = await deliveryStore(house.table).list(tenant, {
      endpointId,
      before: null,
      limit: 1,
      now: house.now(),
    });
    const body = writeRetry({ tenant, endpointId, eventUlid: rows[0]?.eventUlid ?? "", attempt: 2 });
    const ports = {
      queueBehind: () => "Deliveries" as const,
      quarantine: quarantineStore(house.table),
      deliveries: deliveryStore(house.table),
      due: dueStore(house.table),
      counters: counterStore(house.table),
      log: () => {},
    };
    const dead = await house.newLane();
    await openQueue(dead.deliveries, house.eventSource).sendAll([{ body }, { body }]);
    await handOut(house.eventSource, dead.deliveries, deadLettersWorker(ports, house.now));
    await openQueue(dead.deliveries, house.eventSource).send({ body });
    house.turn(MINUTE);
    await handOut(house.eventSource, dead.deliveries, deadLettersWorker(ports, house.now));
    expect(await states()).toEqual([[0, 0, 1]]);
    expect((await stats()).dlq).toBe(1);
  });
});
