import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type AttemptOutcome,
  type DeliveryStatus,
  type DeliveryTrigger,
  deliveryTransitions,
  statusesBefore,
  type Verdict,
} from "../../../../shared/domain/delivery/deliveries.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { MINUTE } from "../../../../shared/kernel/time.ts";
import { openTable } from "../../../../shared/stores/client.ts";
import { type Deliveries, deliveryStore } from "../../../../shared/stores/delivery/deliveries.ts";
import type { DeliveryRow } from "../../../../shared/stores/delivery/delivery-items.ts";
import { startTestTable, type TestTable } from "../../../support/dynamo.ts";
import { NOW, newTenant } from "../support/samples.ts";

let table: TestTable;
let deliveries: Deliveries;
beforeAll(async () => {
  table = await startTestTable();
  deliveries = deliveryStore(openTable(table.tableName, table.client));
});
afterAll(() => table.close());

const wait = 5_000;
const busy: AttemptOutcome = { kind: "answered", status: 503, retryAfter: null, durationMs: 7 };
const verdicts = ["delivered", "retrying", "dlq", "failed", "blocked"] as const;
const verdictOf = (status: (typeof verdicts)[number], now: number): Verdict =>
  status === "retrying" ? { status, nextRetryAt: now + wait } : { status };

/** Whatever may happen to a row, in any order. Attempts are named relative to the row's own. */
type Step =
  | { readonly do: "announce" | "settle"; readonly verdict: (typeof verdicts)[number]; readonly which: number }
  | { readonly do: "await" | "replay" | "forced_replay" }
  | { readonly do: "claim" | "give_up"; readonly ahead: number }
  | { readonly do: "turn"; readonly by: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom("announce", "settle"),
    verdict: fc.constantFrom(...verdicts),
    which: fc.nat({ max: 3 }),
  }),
  fc.record({ do: fc.constantFrom("await", "replay", "forced_replay") }),
  fc.record({ do: fc.constant("claim"), ahead: fc.constantFrom(1, 1, 1, 0, 2) }),
  fc.record({ do: fc.constant("give_up"), ahead: fc.constantFrom(-1, 0, 1) }),
  fc.record({ do: fc.constant("turn"), by: fc.constantFrom(1, wait, MINUTE) }),
);

const may = (from: DeliveryStatus | undefined, trigger: DeliveryTrigger): boolean =>
  from === undefined ? false : statusesBefore(trigger).includes(from);

it("a row goes the ways of the table of transitions and no other, whatever is asked of it in whatever order", async () => {
  const gone = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
      const tenant = newTenant();
      const of = { endpointId: newUlid(NOW), eventUlid: newUlid(NOW), eventType: "test.event", source: null } as const;
      const { endpointId, eventUlid } = of;
      const read = () => deliveries.get(tenant, endpointId, eventUlid);
      const audit = {
        action: "webhook.test",
        resource: "webhook:x",
        actor: "cli",
        ip: null,
        detail: {},
        at: NOW,
      } as const;
      const claims: DeliveryRow[] = [];
      let now = NOW;

      for (const asked of steps) {
        now += 1;
        const before = await read();
        let trigger: DeliveryTrigger | null = null;
        /** Whether the row is to change. */
        let passes = false;
        switch (asked.do) {
          case "turn":
            now += asked.by;
            break;
          case "announce":
            trigger = "announce";
            passes = before === null;
            await deliveries.recordFirst(tenant, of, verdictOf(asked.verdict, now), busy, now);
            break;
          case "await":
            if (before) break;
            trigger = "await";
            passes = true;
            await deliveries.recordPending(tenant, of, audit, now);
            break;
          case "claim": {
            const attempt = (before?.attempt ?? 0) + asked.ahead;
            trigger = "claim";
            passes = may(before?.status, "claim") && asked.ahead === 1 && (before?.nextRetryAt ?? 0) <= now;
            const claim = await deliveries.claim(tenant, endpointId, eventUlid, attempt, now);
            expect(claim.outcome === "claimed").toBe(passes);
            if (claim.outcome === "claimed") claims.push(claim.row);
            break;
          }
          case "settle": {
            const mine = claims[asked.which];
            if (!mine) break;
            trigger = "settle";
            // A claim of an earlier life of the row, or one that was given up, settles nothing.
            passes = may(before?.status, "settle") && before?.op === mine.op;
            expect(await deliveries.settle(tenant, mine, verdictOf(asked.verdict, now), busy, now)).toBe(passes);
            break;
          }
          case "give_up":
            trigger = "give_up";
            // The message of the attempt that it waits for or makes, or of the one that it made last.
            passes =
              may(before?.status, "give_up") &&
              (asked.ahead === 0 || (asked.ahead === 1 && before?.status !== "attempting"));
            await deliveries.giveUp(tenant, endpointId, eventUlid, (before?.attempt ?? 0) + asked.ahead, now);
            break;
          case "replay":
          case "forced_replay":
            trigger = asked.do;
            passes = may(before?.status, trigger);
            expect(await deliveries.reset(tenant, of, trigger, null, now)).toBe(passes);
            break;
        }
        const after = await read();
        if (!trigger || !passes) {
          expect(after).toEqual(before);
          continue;
        }
        expect(after?.updatedAt).toBe(now);
        const way = [before?.status ?? "none", trigger, after?.status];
        expect(deliveryTransitions).toContainEqual(way);
        gone.add(way.join(" "));
        if (after?.status === "pending")
          expect(after).toMatchObject({ attempt: 0, nextRetryAt: now, leaseUntil: null });
      }
    }),
    { numRuns: 120 },
  );
  // Not all of them in every run, but most: else this would prove little.
  expect(gone.size).toBeGreaterThan(deliveryTransitions.length / 2);
});
