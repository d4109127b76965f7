import { afterAll, beforeAll, expect, it } from "vitest";
import { renderEvent } from "../../shared/domain/events/events.ts";
import { type Replayed, replayWindow } from "../../shared/flows/delivery/replay-window.ts";
import { newUlid } from "../../shared/kernel/ids.ts";
import { isRefusal } from "../../shared/kernel/refusals.ts";
import { SECOND } from "../../shared/kernel/time.ts";
import { openDesk } from "../shared/flows/support/desk.ts";
import { type House, openHouse } from "../shared/flows/support/house.ts";
import { depth } from "../shared/flows/support/queue-work.ts";

// Ten thousand deliveries that did not come through, one in ten of which has no body any more.

const AT_AN_INSTANT = 50;
const INSTANTS = 200;

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

it("10,000 deliveries are replayed page by page: each is counted once, and each page is audited", async () => {
  const desk = await openDesk(house);
  const { endpoint } = await desk.endpointWith();
  const { tenant, ports } = desk;
  const from = house.now();
  for (let i = 0; i < INSTANTS; i++) {
    house.turn(1);
    await Promise.all(
      Array.from({ length: AT_AN_INSTANT }, async (_, j) => {
        const eventUlid = newUlid(house.now());
        const data = { endpoint_id: endpoint.id, note: "n", requested_by: "x" };
        if (j % 10 !== 0) await ports.eventBodies.keep(tenant, renderEvent(tenant, eventUlid, "test.event", data));
        const of = { endpointId: endpoint.id, eventUlid, eventType: "test.event", source: null } as const;
        await ports.deliveries.recordFirst(tenant, of, { status: j % 2 ? "dlq" : "failed" }, null, house.now());
      }),
    );
  }
  const to = house.now();

  const pages: Replayed[] = [];
  for (let after: string | null = null, more = true; more; more = after !== null) {
    house.turn(SECOND);
    const window = { from, to, statuses: ["dlq", "failed"], force: false, after, limit: 100 } as const;
    const page = await replayWindow(ports, tenant, endpoint.id, window, desk.by, house.now());
    if (isRefusal(page)) throw new Error(page.refused);
    expect(page.matched).toBe(page.enqueued + page.skipped);
    pages.push(page);
    after = page.next;
  }
  const sum = (of: "matched" | "enqueued" | "skipped") => pages.reduce((all, page) => all + page[of], 0);
  expect([sum("matched"), sum("enqueued"), sum("skipped")]).toEqual([10_000, 9_000, 1_000]);
  expect(await depth(house.eventSource, desk.lane.deliveries)).toBe(9_000);
  const audits = await desk.audits("webhook.bulk_replay");
  expect(audits.map(({ dt }) => dt)).toMatchObject(
    pages.map(({ matched, enqueued, skipped }) => ({ statuses: "dlq,failed", matched, enqueued, skipped })),
  );
  expect(pages).toHaveLength(100);
});
