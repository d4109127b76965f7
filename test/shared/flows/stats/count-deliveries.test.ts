import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deadLettersWorker } from "../../../../functions/dead-letters/worker.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import type { Scope } from "../../../../shared/domain/inbox/messages.ts";
import type { Endpoint } from "../../../../shared/domain/webhooks/endpoints.ts";
import { announcementOf } from "../../../../shared/flows/inbox/message-event.ts";
import { tellFailure } from "../../../../shared/flows/sending/publish-send-failed.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { writeRetry } from "../../../../shared/queues/messages.ts";
import { quarantineStore } from "../../../../shared/stores/dead-letters/quarantine.ts";
import { deliveryStore } from "../../../../shared/stores/delivery/deliveries.ts";
import { dueStore } from "../../../../shared/stores/delivery/due-attempts.ts";
import { eventBodyStore } from "../../../../shared/stores/delivery/event-bodies.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { outboundMessageStore } from "../../../../shared/stores/inbox/outbound-messages.ts";
import { counterStore } from "../../../../shared/stores/stats/counters.ts";
import { injectFaults } from "../../../support/faults.ts";
import { startReceiver } from "../../net/receiver.ts";
import { conversationOf, INBOX, messageOf } from "../../stores/support/samples.ts";
import { type CountScene, openCountScene } from "../support/count-scene.ts";
import { type House, openHouse } from "../support/house.ts";
import { depth, handOut } from "../support/queue-work.ts";
import { announce, endpointAt, statusReceiver } from "../support/receivers.ts";

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

describe("deliveries", () => {
  async function endpoint(status: number): Promise<Endpoint> {
    const receiver = await statusReceiver();
    house.turn(1);
    return endpointAt(house, scene.lane, scene.tenant, `http://127.0.0.1:${receiver.port}/${status}`);
  }
  const announceAll = async (...ids: string[]) => {
    for (const id of ids) {
      await openQueue(scene.lane.events, house.eventSource).send({
        body: (await announce(house, scene.tenant, id)).body,
      });
    }
  };

  it("count the state they reach on their first attempt, and nothing while they go on", async () => {
    for (const status of [200, 410, 503]) await endpoint(status);
    await announceAll("a", "b");
    await scene.deliver();
    expect(await scene.states()).toEqual([
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
    await scene.deliver();
    end();
    expect(lost).toBe(2);
    expect(await scene.states()).toEqual([[1, 0, 0]]);
    await announceAll("a");
    await scene.deliver();
    expect(await scene.states()).toEqual([[1, 0, 0]]);
  });

  it("count what a retry ends in, once, also where the row's answer was lost", async () => {
    let status = 503;
    const receiver = await startReceiver((response) => response.writeHead(status).end());
    await endpointAt(house, scene.lane, scene.tenant, `http://127.0.0.1:${receiver.port}/`);
    await announceAll("a");
    await scene.deliver();
    expect(await scene.states()).toEqual([[0, 0, 0]]);
    status = 410;
    house.turn(6 * SECOND);
    let settles = 0;
    const end = injectFaults(house.client, ({ command, input }) => {
      const settling = command === "UpdateItem" && JSON.stringify(input).includes('"failed"');
      return settling && settles++ === 0 ? "lost" : "pass";
    });
    await scene.deliver("deliveries");
    end();
    expect(settles).toBe(2);
    expect(await scene.states()).toEqual([[0, 1, 0]]);
  });

  it("of a failed send count where a live key sent, and nowhere where a test key did", async () => {
    const receiver = await statusReceiver();
    await endpointAt(house, scene.lane, scene.tenant, `http://127.0.0.1:${receiver.port}/200`, ["message.failed"]);
    await conversationStore(house.table).apply(
      scene.tenant,
      messageOf(scene.tenant, { id: "in", sentAt: house.now() }),
      INBOX,
    );
    const head = await conversationStore(house.table).get(scene.tenant, conversationOf(scene.tenant), house.now());
    if (!head) throw new Error("There is no conversation.");
    const ports = {
      eventBodies: eventBodyStore(house.table),
      events: openQueue(scene.lane.events, house.eventSource),
    };
    for (const scope of ["test", "live"] as const) {
      const author = { via: "api_in_window", actorId: null, holdId: null, replyTo: null } as const;
      const send = { id: newUlid(house.now()), content: "", scope, ...author };
      const content = { kind: "text", text: "hello" } as const;
      const attempt = { tenant: scene.tenant, head, send, content, begunAt: house.now(), shards: 1 };
      await tellFailure(ports, attempt, "refused", { repeated: false });
      await scene.deliver();
      expect(await scene.states()).toEqual([[scope === "test" ? 0 : 1, 0, 0]]);
    }
    expect(await scene.messages()).toBe(0);
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
    const { id: endpointId } = await endpointAt(house, scene.lane, scene.tenant, url, ["message.sent"]);
    const send = async (id: string, scope: Scope, answer: number) => {
      status = answer;
      const message = messageOf(scene.tenant, { id, direction: "outbound", sentAt: house.now(), scope });
      const kept = await outboundMessageStore(house.table).record(scene.tenant, message, house.now());
      await openQueue(scene.lane.events, house.eventSource).send(announcementOf(scene.tenant, kept));
      await scene.deliver();
      status = 200;
      return { tenant: scene.tenant, endpointId, eventUlid: message.eventUlid };
    };
    const store = deliveryStore(house.table);
    const attempt = async (of: { tenant: TenantId; endpointId: string; eventUlid: string }, number: number) => {
      await openQueue(scene.lane.deliveries, house.eventSource).send({ body: writeRetry({ ...of, attempt: number }) });
      await scene.deliver("deliveries");
      expect((await store.get(scene.tenant, endpointId, of.eventUlid))?.status).toBe("delivered");
    };
    for (const scope of ["test", "live"] as const) {
      const sent = await send(`${scope} delivered`, scope, 200);
      await store.reset(scene.tenant, sent, "forced_replay", null, house.now());
      await attempt(sent, 1);
      const retried = await send(`${scope} retried`, scope, 503);
      const givenUp = await send(`${scope} given up`, scope, 503);
      await die(writeRetry({ ...givenUp, attempt: 2 }));
      expect((await store.get(scene.tenant, endpointId, givenUp.eventUlid))?.status).toBe("dlq");
      house.turn(6 * SECOND);
      await attempt(retried, 2);
      expect(await scene.states()).toEqual(scope === "test" ? [[0, 0, 0]] : [[3, 0, 1]]);
    }
  });

  it("are done with though they cannot be counted, and a line says so", async () => {
    await endpoint(200);
    await announceAll("a");
    const end = scene.spoilCounting("crash");
    expect((await scene.deliver()).failed).toEqual([]);
    end();
    expect(scene.failures()).toEqual([{ event: "counting_failed", error: "Crash", messages: 0 }]);
    expect(await depth(house.eventSource, scene.lane.events)).toBe(0);
  });

  it("count as dlq when no worker could process them, once however often the dead letter comes", async () => {
    const { id: endpointId } = await endpoint(503);
    await announceAll("a");
    await scene.deliver();
    const { rows } = await deliveryStore(house.table).list(scene.tenant, {
      endpointId,
      before: null,
      limit: 1,
      now: house.now(),
    });
    const body = writeRetry({ tenant: scene.tenant, endpointId, eventUlid: rows[0]?.eventUlid ?? "", attempt: 2 });
    await die(body, body);
    house.turn(MINUTE);
    await die(body);
    expect(await scene.states()).toEqual([[0, 0, 1]]);
    expect((await scene.stats()).dlq).toBe(1);
  });
});
