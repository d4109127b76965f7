import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deadLettersWorker } from "../../../functions/workers/dead-letters.ts";
import { deliverWorker } from "../../../functions/workers/deliver.ts";
import { ingestWorker } from "../../../functions/workers/ingest.ts";
import { openQueue } from "../../../shared/aws/queues.ts";
import { conversationId } from "../../../shared/domain/conversations.ts";
import type { Endpoint } from "../../../shared/domain/endpoints.ts";
import type { Message, Scope } from "../../../shared/domain/messages.ts";
import { announcementOf } from "../../../shared/flows/announcement.ts";
import { writeRetry } from "../../../shared/flows/queue-messages.ts";
import { readStats } from "../../../shared/flows/read-stats.ts";
import { tellFailure } from "../../../shared/flows/sends/tell-failure.ts";
import { newUlid } from "../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../shared/kernel/tenant.ts";
import { MINUTE, SECOND } from "../../../shared/kernel/time.ts";
import { conversationStore } from "../../../shared/table/conversations.ts";
import { counterStore } from "../../../shared/table/counters.ts";
import { deliveryStore } from "../../../shared/table/deliveries.ts";
import { dueStore } from "../../../shared/table/due.ts";
import { endpointStore } from "../../../shared/table/endpoints.ts";
import { eventBodyStore } from "../../../shared/table/events.ts";
import { outboundMessageStore } from "../../../shared/table/outbound-messages.ts";
import { quarantineStore } from "../../../shared/table/quarantine.ts";
import { type Fault, injectFaults } from "../../support/faults.ts";
import { openPoster } from "../net/posting.ts";
import { startReceiver } from "../net/receiver.ts";
import { conversationOf, INBOX, messageOf, newTenant, PERSON } from "../table/support/samples.ts";
import { allRows } from "./support/erasing.ts";
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
async function deliver(queue: "events" | "deliveries" = "events", from = lane) {
  const ports = house.deliverPorts(lane, openPoster());
  const worker = deliverWorker(ports, house.now, (record, after) =>
    ports.retries.postpone(record.receiptHandle, after),
  );
  return handOut(house.eventSource, from[queue], worker);
}

describe("messages that our API sent", () => {
  async function sent(rest: Partial<Message> = {}): Promise<void> {
    const message = messageOf(tenant, { id: "sent", direction: "outbound", sentAt: house.now(), ...rest });
    const kept = await outboundMessageStore(house.table).record(tenant, message, house.now());
    await openQueue(lane.events, house.eventSource).send(announcementOf(tenant, kept));
  }

  /** Its event, of which the queue has two copies, each as new. */
  async function sentTwice(id: string): Promise<void> {
    const message = messageOf(tenant, { id, direction: "outbound", sentAt: house.now() });
    const kept = await outboundMessageStore(house.table).record(tenant, message, house.now());
    const announcement = announcementOf(tenant, kept);
    for (let copy = 0; copy < 2; copy++) await openQueue(lane.events, house.eventSource).send(announcement);
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

  it("count without an endpoint, too, however often their event comes", async () => {
    await sent();
    await sent();
    await deliver();
    expect(await messages()).toBe(1);
    await sentTwice("twice");
    await deliver();
    expect(await messages()).toBe(2);
  });

  it("cost nothing more where an endpoint wants their event", async () => {
    const receiver = await statusReceiver();
    await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/200`, ["message.sent"]);
    await sentTwice("twice");
    await deliver();
    expect(await messages()).toBe(1);
    expect((await allRows(house)).filter(({ PK }) => PK.startsWith(`N#${tenant}`))).toEqual([]);
  });

  it("do not count when a test key sent them", async () => {
    await sent({ scope: "test" });
    await deliver();
    expect(await messages()).toBe(0);
  });

  it.each(["with an endpoint", "without one"])(
    "count once where an echo of nobody's came first and is announced last, %s",
    async (how) => {
      if (how === "with an endpoint") {
        const receiver = await statusReceiver();
        await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/200`, ["message.sent"]);
      }
      const later = await house.newLane();
      const echo = async (to: Lane) => {
        const raw = webhook(account, [{ mid: "both", text: "hello", at: house.now(), echo: true }]);
        await openQueue(lane.inbound, house.eventSource).send({ body: inboundOf(raw, house.now()) });
        await handOut(
          house.eventSource,
          lane.inbound,
          ingestWorker(house.ingestPorts({ ...lane, events: to.events }), house.now),
        );
      };
      await echo(later);
      const ref = { tenant, account: { platform: "instagram", externalId: account }, participantId: PERSON } as const;
      const send = () => sent({ id: "both", account: ref.account, conversationId: conversationId(ref) });
      // Again, as by a process that died before the first time's announcement.
      await send();
      await send();
      await deliver();
      expect(await messages()).toBe(1);
      await echo(lane);
      await deliver();
      await deliver("events", later);
      expect(await messages()).toBe(1);
    },
  );

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

  it("of a failed send count where a live key sent, and nowhere where a test key did", async () => {
    const receiver = await statusReceiver();
    await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/200`, ["message.failed"]);
    await conversationStore(house.table).apply(tenant, messageOf(tenant, { id: "in", sentAt: house.now() }), INBOX);
    const head = await conversationStore(house.table).get(tenant, conversationOf(tenant), house.now());
    if (!head) throw new Error("There is no conversation.");
    const ports = {
      eventBodies: eventBodyStore(house.table),
      events: openQueue(lane.events, house.eventSource),
    };
    for (const scope of ["test", "live"] as const) {
      const author = { via: "api_in_window", actorId: null, holdId: null, replyTo: null } as const;
      const send = { id: newUlid(house.now()), content: "", scope, ...author };
      const content = { kind: "text", text: "hello" } as const;
      const attempt = { tenant, head, send, content, begunAt: house.now(), shards: 1 };
      await tellFailure(ports, attempt, "refused", { repeated: false });
      await deliver();
      expect(await states()).toEqual([[scope === "test" ? 0 : 1, 0, 0]]);
    }
    expect(await messages()).toBe(0);
  });

  /** Lets the dead-letter worker take these bodies of the deliveries queue. */
  async function die(...bodies: string[]): Promise<void> {
    const ports = {
      queueBehind: () => "Deliveries" as const,
      quarantine: quarantineStore(house.table),
      deliveries: deliveryStore(house.table),
      due: dueStore(house.table),
      counters: counterStore(house.table),
      log: () => {},
    };
    const dead = await house.newLane();
    await openQueue(dead.deliveries, house.eventSource).sendAll(bodies.map((body) => ({ body })));
    await handOut(house.eventSource, dead.deliveries, deadLettersWorker(ports, house.now));
  }

  it("of what a test key sent count nowhere: no first attempt, no retry, no replay, and none that is given up", async () => {
    let status = 200;
    const receiver = await startReceiver((response) => response.writeHead(status).end());
    const url = `http://127.0.0.1:${receiver.port}/`;
    const { id: endpointId } = await endpointAt(house, lane, tenant, url, ["message.sent"]);
    const send = async (id: string, scope: Scope, answer: number) => {
      status = answer;
      const message = messageOf(tenant, { id, direction: "outbound", sentAt: house.now(), scope });
      const kept = await outboundMessageStore(house.table).record(tenant, message, house.now());
      await openQueue(lane.events, house.eventSource).send(announcementOf(tenant, kept));
      await deliver();
      status = 200;
      return { tenant, endpointId, eventUlid: message.eventUlid };
    };
    const store = deliveryStore(house.table);
    const attempt = async (of: { tenant: TenantId; endpointId: string; eventUlid: string }, number: number) => {
      await openQueue(lane.deliveries, house.eventSource).send({ body: writeRetry({ ...of, attempt: number }) });
      await deliver("deliveries");
      expect((await store.get(tenant, endpointId, of.eventUlid))?.status).toBe("delivered");
    };
    for (const scope of ["test", "live"] as const) {
      const sent = await send(`${scope} delivered`, scope, 200);
      await store.reset(tenant, sent, "forced_replay", null, house.now());
      await attempt(sent, 1);
      const retried = await send(`${scope} retried`, scope, 503);
      const givenUp = await send(`${scope} given up`, scope, 503);
      await die(writeRetry({ ...givenUp, attempt: 2 }));
      expect((await store.get(tenant, endpointId, givenUp.eventUlid))?.status).toBe("dlq");
      house.turn(6 * SECOND);
      await attempt(retried, 2);
      expect(await states()).toEqual(scope === "test" ? [[0, 0, 0]] : [[3, 0, 1]]);
    }
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
    await die(body, body);
    house.turn(MINUTE);
    await die(body);
    expect(await states()).toEqual([[0, 0, 1]]);
    expect((await stats()).dlq).toBe(1);
  });
});
