import { DeleteCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sweepDue } from "../../../../shared/flows/delivery/sweep.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../../../../shared/kernel/time.ts";
import { readRetry } from "../../../../shared/queues/messages.ts";
import { type DueAttempt, dueStore } from "../../../../shared/stores/delivery/due-attempts.ts";
import { behind } from "../../../../shared/stores/due-queue.ts";
import { injectFaults } from "../../../support/faults.ts";
import { drawOf, newTenant } from "../../stores/support/samples.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { depth, handOut } from "../support/queue-work.ts";

let house: House;
let lane: Lane;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
// Each test begins days after the one before, as a deployment that was never swept.
beforeEach(async () => {
  house.turn(30 * DAY);
  lane = await house.newLane();
  await house.table.client.send(new DeleteCommand({ TableName: house.table.name, Key: { PK: "Q", SK: "SWEPT" } }));
});

const due = () => dueStore(house.table);
const sweep = () => sweepDue(house.sweepPorts(lane), house.now());

async function put(dueAt: Millis): Promise<DueAttempt> {
  const attempt = { tenant: newTenant(), endpointId: newUlid(dueAt), eventUlid: newUlid(dueAt), attempt: 4, dueAt };
  await due().put(attempt);
  return attempt;
}

/** The events whose retry the queue hands out now; what it hands out is gone from it. */
async function handedOut(): Promise<string[]> {
  const events: string[] = [];
  for (let more = true; more; ) {
    const { records } = await handOut(house.eventSource, lane.deliveries, async () => ({ batchItemFailures: [] }));
    events.push(...records.map(({ body }) => readRetry(body)?.eventUlid ?? "unreadable"));
    more = records.length > 0;
  }
  return events;
}

describe("a sweep", () => {
  it("hands each due attempt on once, however its minutes fall", async () => {
    const start = house.now();
    const waits = Array.from({ length: 120 }, (_, i) => Math.floor(drawOf(`wait ${i}`) * 3 * HOUR));
    const all = await Promise.all([0, 1, ...waits].map((wait) => put(start + 16 * MINUTE + wait)));
    for (let minute = 0; minute < 200; minute += 1 + Math.floor(drawOf(`pause ${minute}`) * 9)) {
      await sweep();
      house.turn((1 + Math.floor(drawOf(`pause ${minute}`) * 9)) * MINUTE);
    }
    await sweep();
    house.turn(15 * MINUTE);
    expect((await handedOut()).sort()).toEqual(all.map(({ eventUlid }) => eventUlid).sort());
  });

  it("holds back what is due within two minutes to its second, and leaves what is due later", async () => {
    const now = house.now();
    const inAMinute = await put(now + 61 * SECOND);
    const atTheEdge = await put(now + 2 * MINUTE);
    const behindIt = await put(now + 2 * MINUTE + 1);
    await sweep();
    expect(await depth(house.eventSource, lane.deliveries)).toBe(2);
    house.turn(61 * SECOND - 1);
    expect(await handedOut()).toEqual([]);
    house.turn(1);
    expect(await handedOut()).toEqual([inAMinute.eventUlid]);
    house.turn(59 * SECOND);
    expect(await handedOut()).toEqual([atTheEdge.eventUlid]);
    await sweep();
    house.turn(SECOND);
    expect(await handedOut()).toEqual([behindIt.eventUlid]);
  });

  it("makes up for days without one", async () => {
    await sweep();
    const start = house.now();
    const all = await Promise.all([20 * MINUTE, DAY, 2 * DAY + 1, 3 * DAY].map((wait) => put(start + wait)));
    const later = await put(start + 4 * DAY);
    house.turn(3 * DAY);
    await sweep();
    expect((await handedOut()).sort()).toEqual(all.map(({ eventUlid }) => eventUlid).sort());
    house.turn(DAY);
    await sweep();
    expect(await handedOut()).toEqual([later.eventUlid]);
  });

  it("finds each attempt for seven days: the table's clean-up comes no sooner", async () => {
    const one = await put(house.now() + 20 * MINUTE);
    const { Items = [] } = await house.table.client.send(
      new ScanCommand({
        TableName: house.table.name,
        FilterExpression: "t = :t",
        ExpressionAttributeValues: { ":t": one.tenant },
      }),
    );
    expect(Items.map((item) => item.x)).toEqual([Math.ceil((one.dueAt + 7 * DAY) / SECOND)]);
  });

  it("that is the first ever finds what came due within the last day", async () => {
    const one = await put(house.now() + 16 * MINUTE);
    house.turn(20 * HOUR);
    await sweep();
    expect(await handedOut()).toEqual([one.eventUlid]);
  });

  it("marks how far it came, and a slower one never moves the mark back", async () => {
    const now = house.now();
    const marked = async () => (await due().sweptUpTo())?.at;
    await sweep();
    expect(await marked()).toBe(now + 2 * MINUTE);
    await due().markSwept(behind(now + MINUTE));
    expect(await marked()).toBe(now + 2 * MINUTE);
    await due().markSwept(behind(now + 2 * MINUTE));
    expect(await marked()).toBe(now + 2 * MINUTE);
    await due().markSwept(behind(now + 2 * MINUTE + 1));
    expect(await marked()).toBe(now + 2 * MINUTE + 1);
  });

  it("harms nothing beside another: what is handed on twice is the same token", async () => {
    const all = await Promise.all(Array.from({ length: 12 }, (_, i) => put(house.now() + i * SECOND)));
    await Promise.all([sweep(), sweep()]);
    house.turn(MINUTE);
    expect([...new Set(await handedOut())].sort()).toEqual(all.map(({ eventUlid }) => eventUlid).sort());
    await sweep();
    expect(await handedOut()).toEqual([]);
  });

  it("that dies at any of its calls is made up for by the next", async () => {
    for (let k = 0; ; k++) {
      const all = await Promise.all([0, 1].map((i) => put(house.now() + i * SECOND)));
      let reached = false;
      const end = injectFaults(house.client, ({ index }) => {
        reached ||= index === k;
        return index >= k ? "crash" : "pass";
      });
      await sweep().catch(() => {});
      end();
      house.turn(MINUTE);
      await sweep();
      expect([...new Set(await handedOut())].sort()).toEqual(all.map(({ eventUlid }) => eventUlid).sort());
      house.turn(5 * MINUTE);
      if (!reached) return;
    }
  });

  it("leaves the mark where it was when the queue refuses", async () => {
    await sweep();
    const mark = await due().sweptUpTo();
    const one = await put(house.now() + 3 * MINUTE);
    house.turn(2 * MINUTE);
    const nowhere = { ...lane, deliveries: `${lane.deliveries}-gone` };
    await expect(sweepDue(house.sweepPorts(nowhere), house.now())).rejects.toThrow();
    expect(await due().sweptUpTo()).toEqual(mark);
    await sweep();
    house.turn(MINUTE);
    expect(await handedOut()).toEqual([one.eventUlid]);
  });
});
