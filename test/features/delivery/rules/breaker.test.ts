import fc from "fast-check";
import { expect, it } from "vitest";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import {
  attemptResult,
  type Breaker,
  breakerState,
  breakerTransitions,
  CLOSED,
  closeBreaker,
  failureAction,
  isCircuitOpen,
  isSlow,
  onBatch,
  onProbe,
  slowFor,
} from "#features/delivery/rules/breaker.ts";
import { waitOf } from "#features/delivery/rules/waits.ts";
import { circuitState } from "#features/webhooks/rules/endpoints.ts";

const NOW: Millis = 1_793_000_000_000;
const answered = (status: number, durationMs = 5): AttemptOutcome => ({
  kind: "answered",
  status,
  retryAfter: null,
  durationMs,
});
const refusedByGate: AttemptOutcome = { kind: "refused_by_gate", reason: "private_address" };
const noAnswer = (error: "timeout" | "connect", durationMs = 5): AttemptOutcome => ({
  kind: "no_answer",
  error,
  durationMs,
});

type Step =
  | { readonly do: "attempts"; readonly succeeded: boolean; readonly failed: number }
  | { readonly do: "probe"; readonly status: 200 | 500 | 410 }
  | { readonly do: "close" }
  | { readonly do: "advance"; readonly by: Millis };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("attempts" as const), succeeded: fc.constant(false), failed: fc.nat(6) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("attempts" as const), succeeded: fc.constant(true), failed: fc.nat(2) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("probe" as const),
      status: fc.constantFrom(500, 500, 500, 410, 200) as fc.Arbitrary<200 | 500 | 410>,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("close" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("advance" as const),
      by: fc.constantFrom(1, 30 * SECOND, MINUTE, HOUR, DAY),
    }),
  },
);

/** A model of the breaker: its failure counts, and the number of failed probes. */
interface BreakerModel {
  consecutiveFailures: number;
  open: { at: Millis; failedProbes: number; openedAt: Millis } | null;
  since: Millis | null;
  count: number;
}

const probeWaits = [1, 2, 4, 8, 16, 30].map((minutes) => minutes * MINUTE);
const waitAfter = (probes: number): Millis => probeWaits[Math.min(probes, probeWaits.length - 1)] ?? 0;

function updateModel(model: BreakerModel, step: Step, openUntil: Millis | null, now: Millis): void {
  const failed = (count: number) => {
    model.since ??= now;
    model.count += count;
    model.consecutiveFailures += count;
  };
  const clear = () => Object.assign(model, { consecutiveFailures: 0, open: null, since: null, count: 0 });
  if (step.do === "attempts") {
    if (step.succeeded) return void clear();
    if (step.failed === 0) return;
    if (!model.open) {
      failed(step.failed);
      if (model.consecutiveFailures >= 10) model.open = { at: now, failedProbes: 0, openedAt: now };
      return;
    }
    if (now < (openUntil ?? 0) + 2 * MINUTE) return;
    failed(step.failed);
    model.open = { ...model.open, at: now, failedProbes: model.open.failedProbes + 1 };
  }
  if (!model.open) return;
  if (step.do === "probe") {
    if (step.status === 200) return void clear();
    if (step.status === 500) failed(1);
    const more = step.status === 500 ? 1 : 0;
    model.open = { ...model.open, at: now, failedProbes: model.open.failedProbes + more };
  }
  if (step.do === "close") Object.assign(model, { consecutiveFailures: 0, open: null });
}

it("a circuit opens after ten failures in a row for 1, 2, 4, 8, 16 and then 30 minutes, for any sequence of events", () => {
  let openCount = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let breaker: Breaker = CLOSED;
      let now = NOW;
      const model: BreakerModel = { consecutiveFailures: 0, open: null, since: null, count: 0 };
      for (const step of steps) {
        const before = breaker;
        updateModel(model, step, before.openUntil, now);
        let next: Breaker | null = null;
        if (step.do === "advance") now += step.by;
        if (step.do === "attempts") next = onBatch(before, { ...step, slowFor: 0 }, now);
        if (step.do === "probe" && before.openUntil)
          next = onProbe(before, before.openUntil, answered(step.status), now);
        if (step.do === "close" && before.openUntil) next = closeBreaker(before, before.openUntil);
        if (next && step.do === "attempts") expect(next).not.toEqual(before);
        breaker = next ?? before;
        const openUntil = model.open ? model.open.at + waitAfter(model.open.failedProbes) : null;
        const openedAt = model.open?.openedAt ?? null;
        expect(breaker).toMatchObject({ openUntil, openedAt, failingSince: model.since, failedSince: model.count });
        if (!model.open) expect(breaker.failures).toBe(model.consecutiveFailures);
        if (before.openUntil !== null && openUntil === null) expect(breaker.closedBy).toBe(before.openUntil);
        if (openUntil !== null) openCount++;
      }
    }),
    { numRuns: 2_000 },
  );
  expect(openCount).toBeGreaterThan(500);
});

it("nothing is written for a success that follows no failure, and for a batch without attempts", () => {
  expect(onBatch(CLOSED, { succeeded: true, failed: 0, slowFor: 0 }, NOW)).toBeNull();
  expect(onBatch(CLOSED, { succeeded: true, failed: 4, slowFor: 0 }, NOW)).toBeNull();
  expect(onBatch(CLOSED, { succeeded: false, failed: 0, slowFor: 0 }, NOW)).toBeNull();
});

it("nothing is written for a probe that was superseded by another one", () => {
  const open = { ...CLOSED, failures: 10, openUntil: NOW, wait: MINUTE };
  expect(onProbe(open, NOW - 1, answered(200), NOW)).toBeNull();
  expect(closeBreaker(open, NOW - 1)).toBeNull();
});

it("a refusal by the gate and a 410 count as neither failure nor success", () => {
  expect([refusedByGate, answered(410), answered(200), answered(299)].map(attemptResult)).toEqual([
    "neither",
    "neither",
    "succeeded",
    "succeeded",
  ]);
  expect([answered(300), answered(429), answered(500), noAnswer("connect")].map(attemptResult)).toEqual(
    Array(4).fill("failed"),
  );
});

it("a circuit is shown as open until its probe is due, as probing from then on, and as closed otherwise", () => {
  const failing = Array.from({ length: 10 }).reduce<Breaker>(
    (breaker) => onBatch(breaker, { succeeded: false, failed: 1, slowFor: 0 }, NOW) ?? breaker,
    CLOSED,
  );
  const shown = (now: Millis) => circuitState(failing, now);
  expect([NOW, NOW + MINUTE - 1, NOW + MINUTE, NOW + DAY].map(shown)).toEqual(["open", "open", "probing", "probing"]);
  expect(circuitState(CLOSED, NOW)).toBe("closed");
});

it("a circuit stays open until two minutes after its probe was due", () => {
  const open = { ...CLOSED, openUntil: NOW };
  expect([0, 2 * MINUTE - 1, 2 * MINUTE].map((late) => isCircuitOpen(open, NOW + late))).toEqual([true, true, false]);
});

const batch = { succeeded: true, failed: 0, slowFor: 0 };

it("a slow endpoint is one without an answer within 1.5 seconds: for 5 minutes, or for an hour if it answers in the end", () => {
  const inTime = [answered(200, 1_500), noAnswer("connect", 1_500), refusedByGate];
  const late = [answered(200, 1_501), answered(500, 14_000)];
  expect(inTime.map(slowFor)).toEqual([0, 0, 0]);
  expect(late.map(slowFor)).toEqual([HOUR, HOUR]);
  expect([noAnswer("timeout"), noAnswer("connect", 5_000)].map(slowFor)).toEqual([5 * MINUTE, 5 * MINUTE]);
});

it.each([5 * MINUTE, HOUR])(
  "a slow endpoint stays slow for that time (%i ms), and is saved again once half of it is over",
  (duration) => {
    const slow = { ...batch, slowFor: duration };
    const marked = onBatch(CLOSED, slow, NOW) ?? CLOSED;
    expect([0, duration - 1, duration].map((later) => isSlow(marked, NOW + later))).toEqual([true, true, false]);
    expect(onBatch(marked, slow, NOW + duration / 2)).toBeNull();
    expect(onBatch(marked, slow, NOW + duration / 2 + 1)?.slowUntil).toBe(NOW + duration / 2 + 1 + duration);
  },
);

it("a slow endpoint that answers in time again is slow for 5 more minutes at most", () => {
  const marked = onBatch(CLOSED, { ...batch, slowFor: HOUR }, NOW) ?? CLOSED;
  const shortened = onBatch(marked, batch, NOW + MINUTE) ?? CLOSED;
  expect(shortened.slowUntil).toBe(NOW + 6 * MINUTE);
  expect(onBatch(shortened, batch, NOW + 2 * MINUTE)).toBeNull();
  expect(onBatch(marked, { ...batch, succeeded: false }, NOW + MINUTE)).toBeNull();
});

const failing = (failedSince: number, warnedAt: Millis | null = null): Breaker => ({
  ...CLOSED,
  failingSince: NOW,
  failedSince,
  warnedAt,
});

it.each([
  [failing(19), 5 * DAY, "warning"],
  [failing(20), 5 * DAY - 1, "warning"],
  [failing(20), 5 * DAY, "pause"],
  [failing(20, NOW), 5 * DAY, "pause"],
  [failing(9), 2.5 * DAY, null],
  [failing(10), 2.5 * DAY - 1, null],
  [failing(10), 2.5 * DAY, "warning"],
  [failing(10, NOW), 2.5 * DAY, null],
  [CLOSED, 9 * DAY, null],
] as const)("the next step of an endpoint whose every attempt fails, %o, after %i ms is %s", (breaker, later, due) => {
  expect(failureAction(breaker, NOW + later)).toBe(due);
});

const responses: Record<string, AttemptOutcome> = {
  success: answered(200),
  probe_failure: answered(500),
  probe_inconclusive: refusedByGate,
};

const batchStep = (succeeded: boolean) =>
  fc.record({ kind: fc.constant("batch" as const), succeeded: fc.constant(succeeded), failed: fc.nat(6) });

const transitionSteps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: batchStep(false) },
    batchStep(true),
    fc.record({ kind: fc.constant("probe" as const), trigger: fc.constantFrom(...Object.keys(responses)) }),
    fc.record({ kind: fc.constant("nothing_to_probe" as const) }),
    fc.record({ kind: fc.constant("time" as const), by: fc.constantFrom(MINUTE, 3 * MINUTE) }),
  ),
  { maxLength: 40, size: "max" },
);

it("a breaker changes state only as the transition table says, and reaches every row of it", () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(transitionSteps, (sequence) => {
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

it("the newest failure's class stays until a success, also over a probe, and failures of an open circuit change nothing", () => {
  const failed = onBatch(CLOSED, { succeeded: false, failed: 10, lastError: "timeout", slowFor: 0 }, NOW) ?? CLOSED;
  expect(failed).toMatchObject({ openUntil: NOW + MINUTE, lastError: "timeout" });
  expect(onBatch(failed, { succeeded: false, failed: 1, lastError: "dns", slowFor: 0 }, NOW)).toBeNull();
  const probed = onProbe(failed, NOW + MINUTE, noAnswer("connect"), NOW + MINUTE) ?? CLOSED;
  expect(probed.lastError).toBe("connect");
  expect(onProbe(probed, probed.openUntil ?? 0, answered(200), NOW + HOUR)?.lastError).toBeNull();
});

it.each([
  ["retrying", NOW + SECOND, null, { reason: "retry", until: NOW + SECOND }],
  ["retrying", NOW + SECOND, NOW + MINUTE, { reason: "retry", until: NOW + SECOND }],
  ["retrying", null, NOW + MINUTE, { reason: "endpoint", until: NOW + MINUTE }],
  ["retrying", null, null, { reason: "endpoint", until: null }],
  ["retrying", NOW - SECOND, NOW + MINUTE, { reason: "endpoint", until: NOW + MINUTE }],
  ["retrying", NOW - SECOND, null, { reason: "slot", until: null }],
  ["pending", null, null, { reason: "slot", until: null }],
  ["pending", null, NOW + MINUTE, { reason: "endpoint", until: NOW + MINUTE }],
  ["attempting", null, null, null],
  ["delivered", null, null, null],
  ["dlq", null, NOW + MINUTE, null],
] as const)(
  "a delivery that is %s until %s, with the probe %s, waits for %j",
  (status, nextRetryAt, nextProbe, wait) => {
    expect(waitOf({ status, nextRetryAt }, nextProbe, NOW)).toEqual(wait);
  },
);
