import fc from "fast-check";
import { expect, it } from "vitest";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import {
  type DeliveryStatus,
  type DeliveryTrigger,
  deliveryStatusesBefore,
  deliveryTransitions,
  type Verdict,
} from "#features/delivery/rules/deliveries.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import type { DeliveryRow } from "#features/delivery/store/items.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { openedOnce } from "../../../support/opened.ts";
import { repetitions } from "../../../support/sampling.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";

const table = openedOnce(startTestTable);
const deliveries = openedOnce(() => deliveryStore(openTable(table.tableName, table.client)));

const wait = 5_000;
const serviceUnavailable: AttemptOutcome = { kind: "answered", status: 503, retryAfter: null, durationMs: 7 };
const verdicts = ["delivered", "retrying", "dlq", "failed", "blocked"] as const;
const toVerdict = (status: (typeof verdicts)[number], now: number): Verdict =>
  status === "retrying" ? { status, nextRetryAt: now + wait } : { status };

/** Everything that may happen to a row, in any order. Attempt numbers are relative to the row's. */
type ModelStep =
  | { readonly do: "first_attempt" | "settle"; readonly verdict: (typeof verdicts)[number]; readonly which: number }
  | { readonly do: "await" | "replay" | "forced_replay" }
  | { readonly do: "claim" | "abandon"; readonly ahead: number }
  | { readonly do: "turn"; readonly by: number };

const step: fc.Arbitrary<ModelStep> = fc.oneof(
  fc.record({
    do: fc.constantFrom("first_attempt", "settle"),
    verdict: fc.constantFrom(...verdicts),
    which: fc.nat({ max: 3 }),
  }),
  fc.record({ do: fc.constantFrom("await", "replay", "forced_replay") }),
  fc.record({ do: fc.constant("claim"), ahead: fc.constantFrom(1, 1, 1, 0, 2) }),
  fc.record({ do: fc.constant("abandon"), ahead: fc.constantFrom(-1, 0, 1) }),
  fc.record({ do: fc.constant("turn"), by: fc.constantFrom(1, wait, MINUTE) }),
);

const canTransition = (from: DeliveryStatus | undefined, trigger: DeliveryTrigger): boolean =>
  from === undefined ? false : deliveryStatusesBefore(trigger).includes(from);

it("a row follows only the transitions of the table, for any commands in any order", async () => {
  const gone = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
      const tenant = newTenant();
      const target = {
        endpointId: newUlid(NOW),
        eventUlid: newUlid(NOW),
        eventType: "test.event",
        source: null,
      } as const;
      const { endpointId, eventUlid } = target;
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

      for (const step of steps) {
        now += 1;
        const before = await read();
        let trigger: DeliveryTrigger | null = null;
        /** Whether the row must change. */
        let passes = false;
        switch (step.do) {
          case "turn":
            now += step.by;
            break;
          case "first_attempt":
            trigger = "first_attempt";
            passes = before === null;
            await deliveries.recordFirst(tenant, target, {
              verdict: toVerdict(step.verdict, now),
              outcome: serviceUnavailable,
              settledAt: now,
            });
            break;
          case "await":
            if (before) break;
            trigger = "await";
            passes = true;
            await deliveries.recordPending(tenant, target, { audit, actor: null }, now);
            break;
          case "claim": {
            const attempt = (before?.attempt ?? 0) + step.ahead;
            trigger = "claim";
            passes = canTransition(before?.status, "claim") && step.ahead === 1 && (before?.nextRetryAt ?? 0) <= now;
            const claim = await deliveries.claimDelivery(tenant, { endpointId, eventUlid, attempt }, now);
            expect(claim.outcome === "claimed").toBe(passes);
            if (claim.outcome === "claimed") claims.push(claim.row);
            break;
          }
          case "settle": {
            const claim = claims[step.which];
            if (!claim) break;
            trigger = "settle";
            // A claim from before a replay, or one that was abandoned, settles nothing.
            passes = canTransition(before?.status, "settle") && before?.op === claim.op;
            expect(
              await deliveries.settleDelivery(tenant, claim, {
                verdict: toVerdict(step.verdict, now),
                outcome: serviceUnavailable,
                settledAt: now,
              }),
            ).toBe(passes);
            break;
          }
          case "abandon":
            trigger = "abandon";
            // The message of the attempt that is next or in progress, or of the last one.
            passes =
              canTransition(before?.status, "abandon") &&
              (step.ahead === 0 || (step.ahead === 1 && before?.status !== "attempting"));
            await deliveries.abandon(
              tenant,
              { endpointId, eventUlid, attempt: (before?.attempt ?? 0) + step.ahead },
              now,
            );
            break;
          case "replay":
          case "forced_replay":
            trigger = step.do;
            passes = canTransition(before?.status, trigger);
            expect(await deliveries.reset(tenant, target, { trigger, author: null, now })).toBe(
              passes ? "reset" : "not_allowed",
            );
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
    { numRuns: repetitions({ whole: 120, sample: 60 }) },
  );
  // Most transitions occur in every run; otherwise the test would prove little.
  expect(gone.size).toBeGreaterThan(deliveryTransitions.length / 2);
});
