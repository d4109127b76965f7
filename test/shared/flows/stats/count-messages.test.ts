import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { conversationId } from "../../../../shared/domain/inbox/conversations.ts";
import type { Message } from "../../../../shared/domain/inbox/messages.ts";
import { announcementOf } from "../../../../shared/flows/inbox/message-event.ts";
import { SECOND } from "../../../../shared/kernel/time.ts";
import { outboundMessageStore } from "../../../../shared/stores/inbox/outbound-messages.ts";
import { injectFaults } from "../../../support/faults.ts";
import { messageOf, newTenant, PERSON } from "../../stores/support/samples.ts";
import { type CountScene, openCountScene } from "../support/count-scene.ts";
import { allRows } from "../support/erasing.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { depth, handOut } from "../support/queue-work.ts";
import { endpointAt, statusReceiver } from "../support/receivers.ts";
import { inboundOf, type Said, webhook } from "../support/webhooks.ts";

let house: House;
let scene: CountScene;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  scene = await openCountScene(house);
  house.lines.length = 0;
});

describe("messages that come in", () => {
  const say = async (...said: (Partial<Said> & { mid: string })[]) => {
    const raw = webhook(
      scene.account,
      said.map((one) => ({ text: one.mid, at: house.now(), ...one })),
    );
    await openQueue(scene.lane.inbound, house.eventSource).send({ body: inboundOf(raw, house.now()) });
  };
  const ingest = (ports = house.ingestPorts(scene.lane)) =>
    handOut(house.eventSource, scene.lane.inbound, ingestWorker(ports, house.now));

  it("count once however often and wherever they are repeated, in both directions", async () => {
    await say({ mid: "a" }, { mid: "b" }, { mid: "a" });
    await say({ mid: "b" }, { mid: "echo", echo: true });
    await ingest();
    await say({ mid: "a" }, { mid: "echo", echo: true }, { mid: "c" });
    await ingest();
    expect(await scene.messages()).toBe(4);
  });

  it("are one update for each tenant of the batch", async () => {
    const other = newTenant();
    const shop = await house.connect(other);
    await say({ mid: "a" });
    await say({ mid: "b" });
    const raw = webhook(shop, [{ mid: "c", text: "c", at: house.now() }]);
    await openQueue(scene.lane.inbound, house.eventSource).send({ body: inboundOf(raw, house.now()) });
    const counted: string[] = [];
    const end = injectFaults(house.client, ({ command, input }) => {
      const { PK } = (input as { Key?: { PK?: { S: string } } }).Key ?? {};
      if (command === "UpdateItem" && PK?.S.startsWith("S#")) counted.push(PK.S);
      return "pass";
    });
    await ingest();
    end();
    expect(counted.sort()).toEqual([`S#${scene.tenant}`, `S#${other}`].sort());
    expect(await scene.messages()).toBe(2);
    expect(await scene.messages(other)).toBe(1);
  });

  it("count also where the batch failed later: they are there when it comes again", async () => {
    await say({ mid: "a" }, { mid: "stuck" }, { mid: "b" });
    const end = injectFaults(house.client, ({ command, input }) =>
      command === "PutItem" && JSON.stringify(input).includes("#stuck") ? "crash" : "pass",
    );
    expect((await ingest()).failed).toHaveLength(1);
    end();
    expect(await scene.messages()).toBe(1);
    house.turn(31 * SECOND);
    expect((await ingest()).failed).toEqual([]);
    expect(await scene.messages()).toBe(3);

    await say({ mid: "c" });
    const broken = house.ingestPorts({ ...scene.lane, events: `${scene.lane.events}-gone` });
    expect((await ingest(broken)).failed).toHaveLength(1);
    house.turn(31 * SECOND);
    await ingest();
    expect(await scene.messages()).toBe(4);
  });

  it("are kept and announced though they cannot be counted, and a line says so", async () => {
    await say({ mid: "a" });
    const end = scene.spoilCounting("crash");
    expect((await ingest()).failed).toEqual([]);
    end();
    expect(scene.failures()).toEqual([{ event: "counting_failed", error: "Crash", messages: 1 }]);
    expect(await depth(house.eventSource, scene.lane.events)).toBe(1);
    expect(await scene.messages()).toBe(0);
  });

  it("count once where the counter's answer is lost", async () => {
    await say({ mid: "a" });
    const end = scene.spoilCounting("lost");
    await ingest();
    end();
    expect(scene.failures()).toEqual([]);
    expect(await scene.messages()).toBe(1);
  });
});

describe("messages that our API sent", () => {
  async function sent(rest: Partial<Message> = {}): Promise<void> {
    const message = messageOf(scene.tenant, { id: "sent", direction: "outbound", sentAt: house.now(), ...rest });
    const kept = await outboundMessageStore(house.table).record(scene.tenant, message, house.now());
    await openQueue(scene.lane.events, house.eventSource).send(announcementOf(scene.tenant, kept));
  }

  /** Its event, of which the queue has two copies, each as new. */
  async function sentTwice(id: string): Promise<void> {
    const message = messageOf(scene.tenant, { id, direction: "outbound", sentAt: house.now() });
    const kept = await outboundMessageStore(house.table).record(scene.tenant, message, house.now());
    const announcement = announcementOf(scene.tenant, kept);
    for (let copy = 0; copy < 2; copy++) await openQueue(scene.lane.events, house.eventSource).send(announcement);
  }

  it("count once with their event's delivery, however often it is announced", async () => {
    const receiver = await statusReceiver();
    for (const status of [200, 503]) {
      await endpointAt(house, scene.lane, scene.tenant, `http://127.0.0.1:${receiver.port}/${status}`, [
        "message.sent",
      ]);
      house.turn(1);
    }
    await sent();
    await sent();
    await scene.deliver();
    expect(await scene.messages()).toBe(1);
    expect(await scene.states()).toEqual([
      [1, 0, 0],
      [0, 0, 0],
    ]);
  });

  it("count without an endpoint, too, however often their event comes", async () => {
    await sent();
    await sent();
    await scene.deliver();
    expect(await scene.messages()).toBe(1);
    await sentTwice("twice");
    await scene.deliver();
    expect(await scene.messages()).toBe(2);
  });

  it("cost nothing more where an endpoint wants their event", async () => {
    const receiver = await statusReceiver();
    await endpointAt(house, scene.lane, scene.tenant, `http://127.0.0.1:${receiver.port}/200`, ["message.sent"]);
    await sentTwice("twice");
    await scene.deliver();
    expect(await scene.messages()).toBe(1);
    expect((await allRows(house)).filter(({ PK }) => PK.startsWith(`N#${scene.tenant}`))).toEqual([]);
  });

  it("do not count when a test key sent them", async () => {
    await sent({ scope: "test" });
    await scene.deliver();
    expect(await scene.messages()).toBe(0);
  });

  it.each(["with an endpoint", "without one"])(
    "count once where an echo of nobody's came first and is announced last, %s",
    async (how) => {
      if (how === "with an endpoint") {
        const receiver = await statusReceiver();
        await endpointAt(house, scene.lane, scene.tenant, `http://127.0.0.1:${receiver.port}/200`, ["message.sent"]);
      }
      const later = await house.newLane();
      const echo = async (to: Lane) => {
        const raw = webhook(scene.account, [{ mid: "both", text: "hello", at: house.now(), echo: true }]);
        await openQueue(scene.lane.inbound, house.eventSource).send({ body: inboundOf(raw, house.now()) });
        await handOut(
          house.eventSource,
          scene.lane.inbound,
          ingestWorker(house.ingestPorts({ ...scene.lane, events: to.events }), house.now),
        );
      };
      await echo(later);
      const ref = {
        tenant: scene.tenant,
        account: { platform: "instagram", externalId: scene.account },
        participantId: PERSON,
      } as const;
      const send = () => sent({ id: "both", account: ref.account, conversationId: conversationId(ref) });
      // Again, as by a process that died before the first time's announcement.
      await send();
      await send();
      await scene.deliver();
      expect(await scene.messages()).toBe(1);
      await echo(scene.lane);
      await scene.deliver();
      await scene.deliver("events", later);
      expect(await scene.messages()).toBe(1);
    },
  );

  it("count once with their echo, whichever comes first", async () => {
    for (const first of ["send", "echo"]) {
      const echo = async () => {
        const raw = webhook(scene.account, [{ mid: first, text: "hello", at: house.now(), echo: true }]);
        await openQueue(scene.lane.inbound, house.eventSource).send({ body: inboundOf(raw, house.now()) });
        await handOut(house.eventSource, scene.lane.inbound, ingestWorker(house.ingestPorts(scene.lane), house.now));
      };
      const before = await scene.messages();
      const ref = {
        tenant: scene.tenant,
        account: { platform: "instagram", externalId: scene.account },
        participantId: PERSON,
      } as const;
      const send = () => sent({ id: first, account: ref.account, conversationId: conversationId(ref) });
      for (const step of first === "send" ? [send, echo] : [echo, send]) await step();
      await scene.deliver();
      expect((await scene.messages()) - before, first).toBe(1);
    }
  });
});
