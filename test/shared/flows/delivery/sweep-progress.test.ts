import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Outgoing } from "../../../../shared/aws/queues.ts";
import { sweepDue } from "../../../../shared/flows/delivery/sweep.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../../../../shared/kernel/time.ts";
import { readRetry } from "../../../../shared/queues/messages.ts";
import { dueStore } from "../../../../shared/stores/delivery/due-attempts.ts";
import { dueKey } from "../../../../shared/stores/keys.ts";
import { newTenant } from "../../stores/support/samples.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { handOut } from "../support/queue-work.ts";
import { type Strike, strikeAt, strikes } from "../support/strikes.ts";

// Sweeps that end before they are through.

let house: House;
let lane: Lane;
const tenant = newTenant();
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(() => afterAWhile());

/** Days later, as a deployment that was never swept. */
async function afterAWhile(): Promise<void> {
  house.turn(30 * DAY);
  lane = await house.newLane();
  await house.table.client.send(new DeleteCommand({ TableName: house.table.name, Key: { PK: "Q", SK: "SWEPT" } }));
}

const due = () => dueStore(house.table);
const sweep = (inTime?: () => boolean) => sweepDue(house.sweepPorts(lane), house.now(), inTime);

interface Put {
  readonly eventUlid: string;
  readonly key: string;
}

async function put(dueAt: Millis): Promise<Put> {
  const [endpointId, eventUlid] = [newUlid(dueAt), newUlid(dueAt)];
  await due().put({ tenant, endpointId, eventUlid, attempt: 4, dueAt });
  return { eventUlid, key: dueKey(dueAt, endpointId, eventUlid, 4).SK };
}

const putAll = (instants: readonly Millis[]) => Promise.all(instants.map(put));

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

const ulids = (all: readonly Put[]) => all.map(({ eventUlid }) => eventUlid).sort();

/** So many pages, and no more. */
function pages(count: number): () => boolean {
  let begun = 0;
  return () => begun++ < count;
}

describe("a sweep that is cut off", () => {
  it("after 300 messages, each time, hands everything on in a few minutes, earliest first", async () => {
    await sweep();
    const start = house.now();
    const all = await putAll([
      ...Array.from({ length: 400 }, (_, i) => start + 3 * MINUTE + i * SECOND),
      ...Array.from({ length: 10 }, (_, i) => start + 20 * MINUTE + i * MINUTE),
    ]);
    house.turn(15 * MINUTE);
    const behind: Millis[] = [];
    for (let minute = 0; minute < 16; minute++) {
      let taken = 0;
      const { retries, ...ports } = house.sweepPorts(lane);
      const sendAll = async (messages: readonly Outgoing[]) => {
        taken += messages.length;
        if (taken > 300) throw new Error("cut off");
        await retries.sendAll(messages);
      };
      await sweepDue({ ...ports, retries: { ...retries, sendAll } }, house.now()).catch(() => {});
      behind.push(house.now() + 2 * MINUTE - ((await due().sweptUpTo())?.at ?? 0));
      house.turn(MINUTE);
    }
    expect(behind.slice(1)).toEqual(Array(15).fill(0));
    expect([...new Set(await handedOut())].sort()).toEqual(ulids(all));
  });

  it.each(strikes)(
    "(%s) at any calls, at whatever instants items are due, marks only what it handed on, and nothing is left out",
    async (strike) => {
      const instants = fc.array(
        fc.record({
          wait: fc.oneof(fc.constant(20 * MINUTE), fc.integer({ min: 0, max: 5 * HOUR })),
          times: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 90 })),
        }),
        { minLength: 1, maxLength: 10 },
      );
      const ends = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(instants, ends, async (groups, calls) => {
          await afterAWhile();
          await sweep();
          const start = house.now() + 5 * MINUTE;
          const all = await putAll(groups.flatMap(({ wait, times }) => Array(times).fill(start + wait)));
          house.turn(6 * HOUR);
          const out = new Set<string>();
          for (const k of calls) {
            await struckSweep(strike, k);
            for (const event of await handedOut()) out.add(event);
            const mark = (await due().sweptUpTo())?.key ?? "";
            expect(all.filter(({ eventUlid, key }) => key <= mark && !out.has(eventUlid))).toEqual([]);
          }
          await sweep();
          for (const event of await handedOut()) out.add(event);
          expect([...out].sort()).toEqual(ulids(all));
          expect((await due().sweptUpTo())?.at).toBe(house.now() + 2 * MINUTE);
        }),
        { numRuns: 8, seed: 7 },
      );
    },
    60_000,
  );

  it("right after its first page, each time, leaves a page less to the next", async () => {
    await sweep();
    const all = await putAll(Array.from({ length: 350 }, () => house.now() + 5 * MINUTE));
    house.turn(HOUR);
    const out: number[] = [];
    const [mark, shards, requests, marked] = [1, 8, 10, 1];
    for (let minute = 0; minute < 4; minute++) {
      await struckSweep("before", mark + shards + requests + marked);
      out.push((await handedOut()).length);
    }
    expect(out).toEqual([100, 100, 100, 50]);
    expect(all).toHaveLength(350);
  });
});

async function struckSweep(strike: Strike, k: number): Promise<void> {
  const struck = strikeAt(house.clients, strike, k);
  await sweep().catch(() => {});
  struck.end();
}

describe("a sweep whose time is nearly over", () => {
  it("ends by itself and leaves the mark where it is", async () => {
    await sweep();
    const mark = await due().sweptUpTo();
    await putAll([house.now() + 5 * MINUTE]);
    house.turn(10 * MINUTE);
    await sweep(() => false);
    expect(await due().sweptUpTo()).toEqual(mark);
    expect(await handedOut()).toEqual([]);
  });

  it("is gone on with from the page it came to, also within one instant, and hands nothing on twice", async () => {
    await sweep();
    const instant = house.now() + 5 * MINUTE;
    const all = await putAll(Array.from({ length: 350 }, () => instant));
    house.turn(10 * MINUTE);
    await sweep(pages(2));
    expect((await due().sweptUpTo())?.at).toBe(instant);
    const first = await handedOut();
    expect(first.sort()).toEqual(ulids(all.toSorted((a, b) => (a.key < b.key ? -1 : 1)).slice(0, 200)));
    await sweep();
    expect([...first, ...(await handedOut())].sort()).toEqual(ulids(all));
  });

  it("passes an hour that holds nothing without a word to the table, and says how far it came", async () => {
    await sweep();
    const one = house.now() + 5 * MINUTE;
    const [early] = await putAll([one, one + 3 * HOUR]);
    house.turn(5 * HOUR);
    house.lines.length = 0;
    await sweep(pages(2));
    expect(await handedOut()).toEqual([early?.eventUlid]);
    const endOfHour = one - (one % HOUR) + HOUR - 1;
    expect((await due().sweptUpTo())?.at).toBe(endOfHour);
    expect(house.lines).toEqual([{ event: "swept", handed_on: 1, up_to: endOfHour }]);
  });
});

it("what is due comes in order, a hundred items to a page, however many lie in each shard", async () => {
  const begin = house.now() - (house.now() % HOUR);
  const all = await putAll(Array.from({ length: 1_500 }, (_, i) => begin + ((i * 7_919) % HOUR)));
  const keys: string[] = [];
  const sizes: number[] = [];
  for await (const { items, upTo } of due().between(begin - 1, begin + HOUR - 1)) {
    const page = items.flatMap((item) => (item.kind === "attempt" ? [item] : []));
    keys.push(...page.map((item) => dueKey(item.dueAt, item.endpointId, item.eventUlid, item.attempt).SK));
    sizes.push(page.length);
    expect(upTo.key >= (keys.at(-1) ?? "")).toBe(true);
  }
  expect(keys).toEqual(all.map(({ key }) => key).sort());
  expect(sizes).toEqual([0, ...Array(15).fill(100)]);
});
