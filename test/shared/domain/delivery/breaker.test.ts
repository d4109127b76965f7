import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterAttempts,
  afterProbe,
  type Breaker,
  dueFor,
  isLeftAlone,
  isSlow,
  letGo,
  resultOf,
  untroubled,
  wasSlow,
} from "../../../../shared/domain/delivery/breaker.ts";
import type { AttemptOutcome } from "../../../../shared/domain/delivery/deliveries.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../../../../shared/kernel/time.ts";

const NOW: Millis = 1_793_000_000_000;
const answered = (status: number, durationMs = 5): AttemptOutcome => ({
  kind: "answered",
  status,
  retryAfter: null,
  durationMs,
});
const refused: AttemptOutcome = { kind: "refused_by_gate", reason: "private_address" };
const silent = (error: "timeout" | "connect", durationMs = 5): AttemptOutcome => ({
  kind: "no_answer",
  error,
  durationMs,
});

type Step =
  | { readonly do: "attempts"; readonly succeeded: boolean; readonly failed: number }
  | { readonly do: "probe"; readonly status: 200 | 500 | 410 }
  | { readonly do: "let go" }
  | { readonly do: "turn"; readonly by: Millis };

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
  { weight: 1, arbitrary: fc.record({ do: fc.constant("let go" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("turn" as const), by: fc.constantFrom(1, 30 * SECOND, MINUTE, HOUR, DAY) }),
  },
);

/** The same told as a story: what was counted, and how often it was probed in vain. */
interface Story {
  inARow: number;
  open: { at: Millis; probesInVain: number } | null;
  since: Millis | null;
  count: number;
}

const waits = [1, 2, 4, 8, 16, 30].map((minutes) => minutes * MINUTE);
const waitAfter = (probes: number): Millis => waits[Math.min(probes, waits.length - 1)] ?? 0;

function tell(story: Story, asked: Step, openUntil: Millis | null, now: Millis): void {
  const failed = (count: number) => {
    story.since ??= now;
    story.count += count;
    story.inARow += count;
  };
  const clear = () => Object.assign(story, { inARow: 0, open: null, since: null, count: 0 });
  if (asked.do === "attempts") {
    if (asked.succeeded) return void clear();
    if (asked.failed === 0) return;
    if (!story.open) {
      failed(asked.failed);
      if (story.inARow >= 10) story.open = { at: now, probesInVain: 0 };
      return;
    }
    if (now < (openUntil ?? 0) + 2 * MINUTE) return;
    failed(asked.failed);
    story.open = { at: now, probesInVain: story.open.probesInVain + 1 };
  }
  if (!story.open) return;
  if (asked.do === "probe") {
    if (asked.status === 200) return void clear();
    if (asked.status === 500) failed(1);
    const more = asked.status === 500 ? 1 : 0;
    story.open = { at: now, probesInVain: story.open.probesInVain + more };
  }
  if (asked.do === "let go") Object.assign(story, { inARow: 0, open: null });
}

it("opens after ten failures in a row and for 1, 2, 4, 8, 16 and then 30 minutes, whatever comes in whatever order", () => {
  let opened = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let breaker: Breaker = untroubled;
      let now = NOW;
      const story: Story = { inARow: 0, open: null, since: null, count: 0 };
      for (const asked of steps) {
        const before = breaker;
        tell(story, asked, before.openUntil, now);
        let next: Breaker | null = null;
        if (asked.do === "turn") now += asked.by;
        if (asked.do === "attempts") next = afterAttempts(before, { ...asked, slow: false }, now);
        if (asked.do === "probe" && before.openUntil)
          next = afterProbe(before, before.openUntil, answered(asked.status), now);
        if (asked.do === "let go" && before.openUntil) next = letGo(before, before.openUntil);
        if (next && asked.do === "attempts") expect(next).not.toEqual(before);
        breaker = next ?? before;
        const openUntil = story.open ? story.open.at + waitAfter(story.open.probesInVain) : null;
        expect(breaker).toMatchObject({ openUntil, failingSince: story.since, failedSince: story.count });
        if (!story.open) expect(breaker.failures).toBe(story.inARow);
        if (before.openUntil !== null && openUntil === null) expect(breaker.closedBy).toBe(before.openUntil);
        if (openUntil !== null) opened++;
      }
    }),
    { numRuns: 2_000 },
  );
  expect(opened).toBeGreaterThan(500);
});

describe("nothing is written", () => {
  it("for a success that follows no failure, and for no attempt at all", () => {
    expect(afterAttempts(untroubled, { succeeded: true, failed: 0, slow: false }, NOW)).toBeNull();
    expect(afterAttempts(untroubled, { succeeded: true, failed: 4, slow: false }, NOW)).toBeNull();
    expect(afterAttempts(untroubled, { succeeded: false, failed: 0, slow: false }, NOW)).toBeNull();
  });

  it("for a probe that another one came before", () => {
    const open = { ...untroubled, failures: 10, openUntil: NOW, wait: MINUTE };
    expect(afterProbe(open, NOW - 1, answered(200), NOW)).toBeNull();
    expect(letGo(open, NOW - 1)).toBeNull();
  });
});

it("what the gate refuses and a 410 are no failures, and no successes", () => {
  expect([refused, answered(410), answered(200), answered(299)].map(resultOf)).toEqual([
    "neither",
    "neither",
    "succeeded",
    "succeeded",
  ]);
  expect([answered(300), answered(429), answered(500), silent("connect")].map(resultOf)).toEqual(
    Array(4).fill("failed"),
  );
});

it("is left alone until two minutes after its probe was due", () => {
  const open = { ...untroubled, openUntil: NOW };
  expect([0, 2 * MINUTE - 1, 2 * MINUTE].map((late) => isLeftAlone(open, NOW + late))).toEqual([true, true, false]);
});

describe("a slow endpoint", () => {
  it("is one whose attempt took over three seconds, or timed out", () => {
    expect(
      [answered(200, 3_000), answered(200, 3_001), silent("timeout"), silent("connect", 2_000), refused].map(wasSlow),
    ).toEqual([false, true, true, false, false]);
  });

  it("stays so for five minutes, and is written down again once half of them are over", () => {
    const slow = { succeeded: true, failed: 0, slow: true };
    const marked = afterAttempts(untroubled, slow, NOW) ?? untroubled;
    expect([0, 5 * MINUTE - 1, 5 * MINUTE].map((later) => isSlow(marked, NOW + later))).toEqual([true, true, false]);
    expect(afterAttempts(marked, slow, NOW + 2 * MINUTE)).toBeNull();
    expect(afterAttempts(marked, slow, NOW + 3 * MINUTE)?.slowUntil).toBe(NOW + 8 * MINUTE);
  });
});

describe("an endpoint whose every attempt fails", () => {
  const failing = (failedSince: number, warnedAt: Millis | null = null): Breaker => ({
    ...untroubled,
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
    [untroubled, 9 * DAY, null],
  ] as const)("%o after %i ms: %s", (breaker, later, due) => {
    expect(dueFor(breaker, NOW + later)).toBe(due);
  });
});
