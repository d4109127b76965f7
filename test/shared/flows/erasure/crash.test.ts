import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eraseWorker } from "../../../../functions/erase/worker.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { SECOND } from "../../../../shared/kernel/time.ts";
import { auditStore } from "../../../../shared/stores/access/audit.ts";
import { newTenant } from "../../stores/support/samples.ts";
import { allRows, endpointRow, erase, type Life, live, rowsTellingOf, untilErased } from "../support/erasing.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { depth, handOut } from "../support/queue-work.ts";
import { strikeAt, strikes } from "../support/strikes.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

interface Case {
  readonly tenant: TenantId;
  readonly lane: Lane;
  readonly life: Life;
}

async function newCase(messages = 2): Promise<Case> {
  const tenant = newTenant();
  const lane = await house.newLane();
  const endpoints = [await endpointRow(house, tenant, "one")];
  const life = await live(house, tenant, endpoints, { messages });
  house.turn(SECOND);
  return { tenant, lane, life };
}

async function auditOf({ tenant }: Case) {
  const { rows } = await auditStore(house.table).list(tenant, { before: null, limit: 9, now: house.now() });
  return rows.filter(({ action }) => action === "conversation.erase");
}

async function expectErasedOnce(one: Case): Promise<void> {
  const { sendRecords, ...rest } = one.life.counts;
  expect(await rowsTellingOf(house, one.life)).toEqual([]);
  expect((await auditOf(one)).map(({ detail }) => detail)).toEqual([{ ...rest, send_records: sendRecords }]);
}

describe("an erasure", () => {
  it.each(strikes)(
    "that is struck (%s) at any call of its request ends whole, each row counted once",
    async (strike) => {
      for (let k = 0; ; k++) {
        const one = await newCase();
        const struck = strikeAt(house.clients, strike, k);
        const answer = await erase(house, one.lane, one.life).catch(() => "died");
        struck.end();
        if (strike === "lost" || !struck.reached()) {
          expect(answer, `call ${k}`).toEqual({ done: true, removed: one.life.counts });
        }
        // Before it has begun, an erasure that died is as if it had never been asked for.
        if (answer === "died" && (await auditOf(one)).length === 0) await untilErased(house, one.lane);
        if ((await auditOf(one)).length === 0) {
          expect(await erase(house, one.lane, one.life), `call ${k}`).toEqual({ done: true, removed: one.life.counts });
        }
        await untilErased(house, one.lane);
        await expectErasedOnce(one);
        if (!struck.reached()) {
          expect(k).toBeGreaterThan(15);
          return;
        }
      }
    },
    120_000,
  );

  it.each(strikes)(
    "that is struck (%s) at any call of the background ends whole, each row counted once",
    async (strike) => {
      for (let k = 0; ; k++) {
        const one = await newCase();
        await erase(house, one.lane, one.life, 0);
        const struck = strikeAt(house.clients, strike, k);
        // One strike somewhere in both passes; what the queue does is not part of the process.
        while (!struck.reached() && (await depth(house.eventSource, one.lane.erasures)) > 0) {
          house.turn(61 * SECOND);
          const worker = struck.mortal(eraseWorker(house.erasePorts(one.lane), house.now));
          await handOut(house.eventSource, one.lane.erasures, worker).catch(() => {});
        }
        struck.end();
        await untilErased(house, one.lane);
        await expectErasedOnce(one);
        if (!struck.reached()) {
          expect(k).toBeGreaterThan(15);
          return;
        }
      }
    },
    120_000,
  );

  it("of several pages that dies after each of its calls in turn still counts each row once", async () => {
    const one = await newCase(230);
    const answers: unknown[] = [];
    for (let k = 3; k < 200; k += 7) {
      const struck = strikeAt(house.clients, "after", k % 23);
      answers.push(await erase(house, one.lane, one.life).catch(() => "died"));
      struck.end();
    }
    expect(answers.filter((answer) => answer === "died").length).toBeGreaterThan(3);
    await untilErased(house, one.lane);
    await expectErasedOnce(one);
  }, 60_000);

  it("leaves no events behind that were kept for a pass, wherever it died", async () => {
    const kept = (await allRows(house)).filter(({ PK, SK }) => PK.startsWith("ER#") && SK !== "R");
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.filter((row) => Object.keys(row).sort().join() !== "PK,SK,k,x")).toEqual([]);
  });
});
