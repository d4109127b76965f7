import fc from "fast-check";
import { expect, it } from "vitest";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import {
  type Breaker,
  breakerState,
  breakerTransitions,
  CLOSED,
  closeBreaker,
  onBatch,
  onProbe,
} from "#features/delivery/rules/breaker.ts";

const NOW: Millis = 1_793_000_000_000;
const responses: Record<string, AttemptOutcome> = {
  success: { kind: "answered", status: 200, retryAfter: null, durationMs: 5 },
  probe_failure: { kind: "answered", status: 500, retryAfter: null, durationMs: 5 },
  probe_inconclusive: { kind: "refused_by_gate", reason: "private_address" },
};

const batch = (succeeded: boolean) =>
  fc.record({ kind: fc.constant("batch" as const), succeeded: fc.constant(succeeded), failed: fc.nat(6) });

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: batch(false) },
    batch(true),
    fc.record({ kind: fc.constant("probe" as const), trigger: fc.constantFrom(...Object.keys(responses)) }),
    fc.record({ kind: fc.constant("nothing_to_probe" as const) }),
    fc.record({ kind: fc.constant("time" as const), by: fc.constantFrom(MINUTE, 3 * MINUTE) }),
  ),
  { maxLength: 40, size: "max" },
);

it("changes state only as the transition table says, and reaches every row of it", () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(steps, (sequence) => {
      let breaker: Breaker = CLOSED;
      let now = NOW;
      for (const step of sequence) {
        const from = breakerState(breaker, now);
        let next: Breaker | null = null;
        let triggers: string[] = [];
        if (step.kind === "time") {
          now += step.by;
          triggers = ["probe_late"];
        } else if (step.kind === "batch") {
          next = onBatch(breaker, { ...step, slowFor: 0 }, now);
          triggers = step.succeeded ? ["success"] : ["failure", "failure_limit"];
        } else if (breaker.openUntil !== null && step.kind === "probe") {
          next = onProbe(breaker, breaker.openUntil, responses[step.trigger] as AttemptOutcome, now);
          triggers = [step.trigger];
        } else if (breaker.openUntil !== null) {
          next = closeBreaker(breaker, breaker.openUntil);
          triggers = ["nothing_to_probe"];
        }
        breaker = next ?? breaker;
        const to = breakerState(breaker, now);
        const rows = breakerTransitions.filter(
          (row) => row[0] === from && row[2] === to && triggers.includes(row[1]) && (next !== null || from !== to),
        );
        if (next !== null || from !== to) expect(rows, `${from} to ${to} by ${triggers}`).toHaveLength(1);
        for (const [rowFrom, trigger] of rows) reached.add(`${rowFrom} ${trigger}`);
      }
    }),
    { numRuns: 1_000 },
  );
  expect([...reached].sort()).toEqual(breakerTransitions.map(([from, trigger]) => `${from} ${trigger}`).sort());
});
