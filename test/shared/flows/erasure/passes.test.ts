import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eraseWorker } from "../../../../functions/erase/worker.ts";
import type { Message } from "../../../../shared/domain/inbox/messages.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { deliveryStore } from "../../../../shared/stores/delivery/deliveries.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { injectFaults } from "../../../support/faults.ts";
import { messageOf, newTenant } from "../../stores/support/samples.ts";
import { endpointRow, erase, type Life, live, rowsTellingOf, untilErased } from "../support/erasing.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { handOut } from "../support/queue-work.ts";

let house: House;
let lane: Lane;
let tenant: TenantId;
let endpointId: string;
let life: Life;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  tenant = newTenant();
  lane = await house.newLane();
  endpointId = await endpointRow(house, tenant, "one");
  life = await live(house, tenant, [endpointId]);
  house.turn(SECOND);
});

/** A message from before the erasure, kept now by a worker that had read before. */
async function keepLate(sentAt: number): Promise<Message> {
  const late = messageOf(tenant, { id: "late", sentAt });
  await messageStore(house.table).record(tenant, late, house.now());
  return late;
}

async function recordAttempt({ eventUlid }: Message): Promise<void> {
  await deliveryStore(house.table).recordFirst(
    tenant,
    { endpointId, eventUlid, eventType: "message.received", source: null },
    { status: "delivered" },
    { kind: "answered", status: 200, retryAfter: null, durationMs: 1 },
    house.now(),
  );
}

describe("a message that is kept late, among rows that were counted and not removed", () => {
  it("is removed with them, and its delivery, which is written later still, with the next pass", async () => {
    const end = injectFaults(house.client, ({ command }) => (command === "BatchWriteItem" ? "crash" : "pass"));
    await expect(erase(house, lane, life)).rejects.toThrow("crashed");
    end();
    // Older than some of the rows that were counted: no later page comes to it.
    const late = await keepLate(house.now() - SECOND - 700);
    expect(await erase(house, lane, life)).toEqual({ done: true, removed: life.counts });
    expect((await rowsTellingOf(house, life)).map(({ SK }) => SK).sort()).toEqual(["R", "~HEAD"]);
    await recordAttempt(late);
    await untilErased(house, lane);
    expect(await deliveryStore(house.table).get(tenant, endpointId, late.eventUlid)).toBeNull();
  });
});

describe("a worker that had read before the erasure and runs as long as it may", () => {
  it("writes before the next pass, however often the background looks", async () => {
    await erase(house, lane, life);
    for (let waited = 0; waited < MINUTE; waited += 5 * SECOND) {
      house.turn(5 * SECOND);
      await handOut(house.eventSource, lane.erasures, eraseWorker(house.erasePorts(lane), house.now));
    }
    const late = await keepLate(house.now() - 2 * MINUTE);
    await recordAttempt(late);
    await untilErased(house, lane);
    expect(await rowsTellingOf(house, life)).toEqual([]);
    expect(await deliveryStore(house.table).get(tenant, endpointId, late.eventUlid)).toBeNull();
  });
});
