import { afterEach, expect, it } from "vitest";
import { FunctionFailed } from "#local-aws/lambda/sandbox.ts";
import { parseRate, type Schedule, type Schedules, startSchedules } from "#local-aws/lambda/schedules.ts";
import { DAY, HOUR, MINUTE } from "#local-aws/support/time.ts";

const running: Schedules[] = [];
afterEach(() => {
  for (const schedules of running.splice(0)) schedules.close();
});

/** Schedules with a clock that moves only when a test advances it. */
function start(schedules: Schedule[], invoke?: (id: string) => Promise<unknown>) {
  let now = Date.UTC(2026, 0, 1);
  const runs: string[] = [];
  const events: unknown[] = [];
  const reported: string[] = [];
  const functions = {
    invoke: async (id: string, event: unknown) => {
      runs.push(id);
      events.push(event);
      return await invoke?.(id);
    },
  };
  const started = startSchedules(
    schedules,
    () => now,
    functions,
    (line) => reported.push(line),
  );
  running.push(started);
  const advance = async (ms: number): Promise<string[]> => {
    now += ms;
    runs.length = 0;
    await started.runDue();
    return [...runs];
  };
  return { turn: advance, events, reported };
}

const minutely: Schedule = { id: "R1", every: MINUTE, functionId: "Minutely" };
const hourly: Schedule = { id: "R2", every: HOUR, functionId: "Hourly" };
const daily: Schedule = { id: "R3", every: DAY, functionId: "Daily" };

it("a schedule runs when its period has passed and not a millisecond before", async () => {
  const { turn: advance } = start([hourly]);
  expect(await advance(HOUR - 1)).toEqual([]);
  expect(await advance(1)).toEqual(["Hourly"]);
  expect(await advance(0)).toEqual([]);
  expect(await advance(HOUR - 1)).toEqual([]);
  expect(await advance(1)).toEqual(["Hourly"]);
});

it("a schedule runs once for a jump over many periods, and its interval does not shift", async () => {
  const { turn: advance } = start([hourly]);
  expect(await advance(10 * HOUR + 1)).toEqual(["Hourly"]);
  expect(await advance(HOUR - 2)).toEqual([]);
  expect(await advance(1)).toEqual(["Hourly"]);
});

it("a schedule runs in the order in which schedules came due", async () => {
  const { turn: advance } = start([daily, hourly, minutely]);
  expect(await advance(2 * DAY)).toEqual(["Minutely", "Hourly", "Daily"]);
});

it("a schedule has ended when the clock's jump has ended, even if it failed", async () => {
  let ended = 0;
  const { turn: advance, reported } = start([minutely, hourly], async (id) => {
    await new Promise((resolve) => setImmediate(resolve));
    ended++;
    if (id === "Minutely") throw new Error("broken");
  });
  await advance(DAY);
  expect(ended).toBe(2);
  expect(reported).toEqual(["Minutely: broken"]);
});

it("a schedule whose run found no place is run again until one does", async () => {
  let tries = 0;
  const { turn: advance } = start([minutely], async () => {
    tries++;
    if (tries === 1) throw new FunctionFailed("throttled", "Rate Exceeded");
  });
  expect(await advance(MINUTE)).toEqual(["Minutely", "Minutely"]);
});

it("a schedule gets the standard event or its configured input", async () => {
  const { turn: advance, events } = start([minutely, { ...hourly, input: { own: true } }]);
  await advance(HOUR);
  expect(events).toEqual([
    expect.objectContaining({
      source: "aws.events",
      "detail-type": "Scheduled Event",
      time: "2026-01-01T01:00:00Z",
      resources: ["arn:aws:events:us-east-1:000000000000:rule/R1"],
    }),
    { own: true },
  ]);
});

it("a schedule runs by itself while time passes", async () => {
  let runs = 0;
  const functions = { invoke: async () => ++runs };
  running.push(startSchedules([{ ...minutely, every: 20 }], Date.now, functions, () => {}));
  await expect.poll(() => runs).toBeGreaterThanOrEqual(3);
});

it.each([
  ["rate(1 minute)", MINUTE],
  ["rate(5 minutes)", 5 * MINUTE],
  ["rate(2 hours)", 2 * HOUR],
  ["rate(1 day)", DAY],
  ["rate(0 minutes)", null],
  ["rate(1.5 hours)", null],
  ["rate(1 week)", null],
  ["cron(0 12 * * ? *)", null],
])("a schedule that is written %s has a period of %s ms", (expression, expected) => {
  expect(parseRate(expression)).toBe(expected);
});
