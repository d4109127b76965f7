import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY, SECOND } from "#base/kernel/time.ts";
import { type BudgetCounts, budgetWindowsAt, judgeBudgets, type SlowDown } from "#features/sending/rules/sends.ts";

const midnight = Date.UTC(2026, 10, 21);
const at = midnight + 5 * SECOND;
const noSlowDown: SlowDown = { account: null, humanAgent: null };
const judgeAt = (counts: BudgetCounts, { humanAgent = false, slowDown = noSlowDown, now = at } = {}) =>
  judgeBudgets(budgetWindowsAt(now, humanAgent), counts, slowDown, now);

test("the windows of a send allow 10 in 10 s and 200 in 24 h per conversation, 100 in 10 s per account, 20 human agent sends in 24 h", () => {
  const plain = [
    { budget: "conversation_burst", of: "conversation", start: midnight, end: midnight + 10_000, limit: 10 },
    { budget: "conversation_day", of: "conversation", start: midnight, end: midnight + DAY, limit: 200 },
    { budget: "account_burst", of: "account", start: midnight, end: midnight + 10_000, limit: 100 },
  ];
  expect(budgetWindowsAt(at, false)).toEqual(plain);
  expect(budgetWindowsAt(at, true)).toEqual([
    ...plain,
    { budget: "human_agent_day", of: "conversation", start: midnight, end: midnight + DAY, limit: 20 },
  ]);
});

test("the windows of a send contain their instant, and the next windows start where they end", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), fc.boolean(), (now, humanAgent) => {
      for (const window of budgetWindowsAt(now, humanAgent)) {
        const same = (then: number) => budgetWindowsAt(then, humanAgent).find(({ budget }) => budget === window.budget);
        expect(window.start <= now && now < window.end).toBe(true);
        expect(same(window.start)).toEqual(window);
        expect(same(window.end - 1)).toEqual(window);
        expect(same(window.end)?.start).toBe(window.end);
      }
    }),
  );
});

test.each([
  ["conversation_burst", 10, midnight + 10 * SECOND],
  ["conversation_day", 200, midnight + DAY],
  ["account_burst", 100, midnight + 10 * SECOND],
] as const)(
  "one more send is allowed until %s has reached %s, and again when the window ends",
  (budget, limit, until) => {
    expect(judgeAt({ [budget]: limit - 1 })).toEqual({ allowed: true });
    expect(judgeAt({ [budget]: limit })).toEqual({ allowed: false, until, by: [budget] });
    expect(judgeAt({ [budget]: limit + 5 })).toEqual({ allowed: false, until, by: [budget] });
  },
);

test("one more send of a human agent has its own budget, which does not block other sends", () => {
  expect(judgeAt({ human_agent_day: 19 }, { humanAgent: true })).toEqual({ allowed: true });
  const refused = { allowed: false, until: midnight + DAY, by: ["human_agent_day"] };
  expect(judgeAt({ human_agent_day: 20 }, { humanAgent: true })).toEqual(refused);
  expect(judgeAt({ human_agent_day: 20 })).toEqual({ allowed: true });
});

test("one more send waits for the longest block", () => {
  expect(judgeAt({ conversation_burst: 10, conversation_day: 200 })).toEqual({
    allowed: false,
    until: midnight + DAY,
    by: ["conversation_day", "conversation_burst"],
  });
});

test("one more send is refused during a pause of the platform, to the millisecond", () => {
  const slowDown = { account: at + 1, humanAgent: null };
  expect(judgeAt({}, { slowDown })).toEqual({ allowed: false, until: at + 1, by: ["slow_down"] });
  expect(judgeAt({}, { slowDown, now: at + 1 })).toEqual({ allowed: true });
  const late = { account: midnight + 3 * DAY, humanAgent: midnight + 2 * DAY };
  expect(judgeAt({ conversation_burst: 10 }, { slowDown: late, humanAgent: true })).toEqual({
    allowed: false,
    until: midnight + 3 * DAY,
    by: ["slow_down", "conversation_burst"],
  });
});

test("one more send is allowed as a reply during a pause of human agent sends", () => {
  const slowDown = { account: null, humanAgent: at + DAY };
  expect(judgeAt({}, { slowDown, humanAgent: true })).toEqual({ allowed: false, until: at + DAY, by: ["slow_down"] });
  expect(judgeAt({}, { slowDown })).toEqual({ allowed: true });
});

test("one more send never exceeds a window's limit at any pace, and is allowed again at the named time", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 4 * SECOND }), { minLength: 50, maxLength: 400 });
  fc.assert(
    fc.property(gaps, fc.boolean(), (waits, humanAgent) => {
      const counts = new Map<string, number>();
      const windowsWith = (now: number) =>
        budgetWindowsAt(now, humanAgent).map((window) => ({ window, key: `${window.budget} ${window.start}` }));
      const verdictAt = (now: number) => {
        const spent = windowsWith(now).map(({ window, key }) => [window.budget, counts.get(key) ?? 0]);
        return judgeBudgets(budgetWindowsAt(now, humanAgent), Object.fromEntries(spent), noSlowDown, now);
      };
      let now = midnight;
      for (const wait of waits) {
        now += wait;
        const verdict = verdictAt(now);
        if (verdict.allowed) {
          for (const { key } of windowsWith(now)) counts.set(key, (counts.get(key) ?? 0) + 1);
        } else {
          expect(verdict.until).toBeGreaterThan(now);
          expect(verdictAt(verdict.until - 1)).toMatchObject({ allowed: false });
          expect(verdictAt(verdict.until)).toEqual({ allowed: true });
        }
        for (const { window, key } of windowsWith(now)) {
          expect(counts.get(key) ?? 0).toBeLessThanOrEqual(window.limit);
        }
      }
    }),
    { numRuns: 50 },
  );
});
