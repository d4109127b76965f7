import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { conversationId } from "../../../../shared/domain/inbox/conversations.ts";
import { compress } from "../../../../shared/kernel/compression.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import type { EventMessage } from "../../../../shared/queues/messages.ts";
import { readEvent, writeInbound } from "../../../../shared/queues/messages.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { newTenant, PERSON } from "../../stores/support/samples.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { depth, handOut, receiveAll } from "../support/queue-work.ts";
import { strikeAt, strikes } from "../support/strikes.ts";
import { inboundOf, webhook } from "../support/webhooks.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

interface Case {
  readonly tenant: TenantId;
  readonly account: string;
  readonly lane: Lane;
  readonly at: number;
  readonly raw: string;
}

/** Two inbound messages and an echo after them, of one person, in one webhook. */
async function newCase(): Promise<Case> {
  const tenant = newTenant();
  const account = await house.connect(tenant);
  const at = house.now();
  const raw = webhook(account, [
    { mid: `${tenant}-1`, text: "one", at: at - 2 },
    { mid: `${tenant}-2`, text: "two", at: at - 1 },
    { mid: `${tenant}-3`, text: "three", at, echo: true },
  ]);
  return { tenant, account, lane: await house.newLane(), at, raw };
}

const worker = (lane: Lane) => ingestWorker(house.ingestPorts(lane), house.now);

/** A fresh process at each hand-out, until the queue is empty. @returns how many it took */
async function untilEmpty(lane: Lane): Promise<number> {
  for (let round = 1; round <= 6; round++) {
    house.turn(31_000);
    await handOut(house.eventSource, lane.inbound, worker(lane));
    if ((await depth(house.eventSource, lane.inbound)) === 0) return round;
  }
  throw new Error("The inbound queue does not empty.");
}

async function announced(lane: Lane): Promise<EventMessage[]> {
  const records = await receiveAll(house.eventSource, lane.events);
  return records.map(({ body }) => {
    const event = readEvent(body);
    if (!event) throw new Error("An announcement cannot be read.");
    return event;
  });
}

async function expectAllThere({ tenant, account, lane, at }: Case): Promise<void> {
  const now = house.now();
  const { rows } = await messageStore(house.table).feed(tenant, {
    includeTest: false,
    direction: null,
    before: null,
    limit: 100,
    now,
  });
  expect(rows.map(({ message }) => [message.text, message.direction])).toEqual([
    ["three", "echo"],
    ["two", "inbound"],
    ["one", "inbound"],
  ]);
  const id = conversationId({
    tenant,
    account: { platform: "instagram", externalId: account },
    participantId: PERSON,
  });
  expect(await conversationStore(house.table).get(tenant, id, now)).toMatchObject({
    lastAt: at,
    lastDirection: "echo",
    lastMessageText: "three",
    lastInboundAt: at - 1,
    lastOutboundAt: at,
    accountHandle: "@shop",
  });
  const events = await announced(lane);
  expect([...new Set(events.map(({ eventUlid }) => eventUlid))].sort()).toEqual(
    rows.map(({ message }) => message.eventUlid).sort(),
  );
  for (const { message, place } of rows) {
    const mine = events.filter(({ eventUlid }) => eventUlid === message.eventUlid);
    expect(mine.length).toBeGreaterThanOrEqual(1);
    for (const event of mine)
      expect(event).toMatchObject({ tenant, source: { conversationId: message.conversationId, place } });
  }
}

describe("ingest", () => {
  it.each(strikes.flatMap((strike) => (["bytes", "file"] as const).map((form) => [strike, form] as const)))(
    "struck (%s) at any call to AWS ends whole when its queue message comes again (%s)",
    async (strike, form) => {
      for (let k = 0; ; k++) {
        const one = await newCase();
        const inbound = openQueue(one.lane.inbound, house.eventSource);
        const file = `inbound/${one.tenant}.gz`;
        if (form === "file") await house.files.put(file, compress(one.raw));
        const body =
          form === "file" ? writeInbound({ receivedAt: one.at, bytes: null, file }) : inboundOf(one.raw, one.at);
        await inbound.send({ body });

        const struck = strikeAt(house.clients, strike, k);
        const { failed } = await handOut(house.eventSource, one.lane.inbound, struck.mortal(worker(one.lane)));
        struck.end();
        if (strike !== "lost" && struck.reached()) expect(failed, `call ${k}`).toHaveLength(1);
        await untilEmpty(one.lane);
        await expectAllThere(one);
        if (form === "file") expect(await house.files.get(file)).toBeNull();
        if (!struck.reached()) {
          // Raw copy, route, two puts with their heads, marker, echo, head, announcements; and the file's two.
          expect(k).toBeGreaterThanOrEqual(form === "file" ? 12 : 10);
          return;
        }
      }
    },
  );

  it("survives a process that dies twice, at any two of its calls", async () => {
    for (let first = 0; first < 10; first += 2) {
      for (let second = 0; second < 10; second += 3) {
        const one = await newCase();
        await openQueue(one.lane.inbound, house.eventSource).send({ body: inboundOf(one.raw, one.at) });
        for (const k of [first, second]) {
          const struck = strikeAt(house.clients, "after", k);
          await handOut(house.eventSource, one.lane.inbound, struck.mortal(worker(one.lane)));
          struck.end();
          house.turn(31_000);
        }
        await untilEmpty(one.lane);
        await expectAllThere(one);
      }
    }
  });

  it("takes the same webhook three times, alone and in one batch, as one", async () => {
    const one = await newCase();
    const inbound = openQueue(one.lane.inbound, house.eventSource);
    const body = inboundOf(one.raw, one.at);
    await inbound.sendAll([{ body }, { body }]);
    await untilEmpty(one.lane);
    house.turn(3_600_000);
    await inbound.send({ body });
    await untilEmpty(one.lane);
    await expectAllThere(one);
  });

  it("says of an announcement that it may have been made before, and only then", async () => {
    const one = await newCase();
    const inbound = openQueue(one.lane.inbound, house.eventSource);
    await inbound.send({ body: inboundOf(one.raw, one.at) });
    await untilEmpty(one.lane);
    expect((await announced(one.lane)).map(({ repeated }) => repeated)).toEqual([false, false, false]);
    await inbound.send({ body: inboundOf(one.raw, one.at) });
    await untilEmpty(one.lane);
    const again = (await announced(one.lane)).filter(({ repeated }) => repeated);
    expect(again).toHaveLength(3);
  });
});
