import { expect, it } from "vitest";
import { renderEvent } from "#base/events/events.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { SECOND } from "#base/kernel/time.ts";
import { type ReplayWindowResult, replayWindow } from "#features/delivery/flows/replay-window.ts";
import { openEndpointFixture } from "../support/flows/endpoint-fixture.ts";
import { queueDepth } from "../support/flows/queue-worker.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";

// Ten thousand undelivered events. One in ten has lost its body.

const EVENTS_PER_INSTANT = 50;
const INSTANTS = 200;
const testEnv = openedOnce(openTestEnv);

it("10,000 deliveries are replayed page by page: each is counted once, and each page is audited", async () => {
  const fixture = await openEndpointFixture(testEnv);
  const { endpoint } = await fixture.endpointWith();
  const { tenant, ports } = fixture;
  const from = testEnv.now();
  for (let i = 0; i < INSTANTS; i++) {
    testEnv.advance(1);
    await Promise.all(
      Array.from({ length: EVENTS_PER_INSTANT }, async (_, j) => {
        const eventUlid = newUlid(testEnv.now());
        const data = { endpoint_id: endpoint.id, note: "n", requested_by: "x" };
        if (j % 10 !== 0) await ports.eventBodies.save(tenant, renderEvent(tenant, eventUlid, "test.event", data));
        const target = { endpointId: endpoint.id, eventUlid, eventType: "test.event", source: null } as const;
        await ports.deliveries.recordFirst(tenant, target, {
          verdict: { status: j % 2 ? "dlq" : "failed" },
          outcome: null,
          settledAt: testEnv.now(),
        });
      }),
    );
  }
  const to = testEnv.now();

  const pages: ReplayWindowResult[] = [];
  for (let after: string | null = null, more = true; more; more = after !== null) {
    testEnv.advance(SECOND);
    const window = { from, to, statuses: ["dlq", "failed"], force: false, after, limit: 100 } as const;
    const page = await replayWindow(ports, {
      tenant,
      endpointId: endpoint.id,
      window,
      author: fixture.by,
      now: testEnv.now(),
    });
    if (isRefusal(page)) throw new Error(page.refused);
    expect(page.matched).toBe(page.enqueued + page.skipped);
    pages.push(page);
    after = page.next;
  }
  const sum = (field: "matched" | "enqueued" | "skipped") => pages.reduce((all, page) => all + page[field], 0);
  expect([sum("matched"), sum("enqueued"), sum("skipped")]).toEqual([10_000, 9_000, 1_000]);
  expect(await queueDepth(testEnv.eventSource, fixture.queues.deliveries)).toBe(9_000);
  const audits = await fixture.audits("webhook.bulk_replay");
  expect(audits.map(({ dt }) => dt)).toMatchObject(
    pages.map(({ matched, enqueued, skipped }) => ({ statuses: "dlq,failed", matched, enqueued, skipped })),
  );
  expect(pages).toHaveLength(100);
});
