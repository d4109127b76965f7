import { setImmediate as turn } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { openPool, type Pool } from "#local-aws/lambda/pool.ts";
import { observeDemand } from "#local-aws/lambda/processor-demand.ts";
import { FunctionFailed, type Sandbox } from "#local-aws/lambda/sandbox.ts";
import { openSandboxBudget, type SandboxBudgetOptions } from "#local-aws/lambda/sandbox-budget.ts";

/** A sandbox whose loading and events end when the test says so. */
interface FakeSandbox extends Omit<Sandbox, "computing" | "hangs"> {
  load(failure?: FunctionFailed): void;
  answer(result: unknown): void;
  /** The next events time out: the sandbox is unusable. */
  fail(): void;
  isClosed(): boolean;
  computing: () => number;
  hangs: () => boolean;
}

function fakeSandbox(): FakeSandbox {
  const loaded = Promise.withResolvers<FunctionFailed | null>();
  let event = Promise.withResolvers<unknown>();
  let failure: FunctionFailed | null = null;
  let isClosed = false;
  return {
    loaded: () => loaded.promise,
    failure: () => failure,
    computing: () => 0,
    hangs: () => false,
    invoke: () => event.promise,
    load(loadFailure) {
      failure = loadFailure ?? null;
      loaded.resolve(failure);
    },
    answer(result) {
      event.resolve(result);
      event = Promise.withResolvers();
    },
    fail() {
      failure = new FunctionFailed("timed-out", "Task timed out");
      event.reject(failure);
    },
    isClosed: () => isClosed,
    close: async () => {
      isClosed = true;
    },
  };
}

const roomy = { sandboxesMax: 100, loadsMax: 100, startLoadsMax: 100, demand: () => 0 };

/** Opens pools that share a budget, and records the sandboxes that they open. */
function openPools(
  limits: {
    sandboxesMax?: number;
    budget?: SandboxBudgetOptions;
    idleMax?: number;
    lastIdleMax?: number;
    sources?: number;
    growthPause?: number;
  } = {},
) {
  const budget = openSandboxBudget(limits.budget ?? roomy);
  const { sandboxesMax = 100, idleMax = 60_000, lastIdleMax = 300_000, sources = 1, growthPause = 0 } = limits;
  const opened: FakeSandbox[] = [];
  const openOne = (): Pool =>
    openPool({ sandboxesMax, budget, idleMax, lastIdleMax, sources, growthPause }, () => {
      const sandbox = fakeSandbox();
      opened.push(sandbox);
      return sandbox;
    });
  /** The opened sandbox with that number, loaded. */
  const loadedSandbox = async (at: number): Promise<FakeSandbox> => {
    const sandbox = opened[at];
    if (!sandbox) throw new Error(`There is no sandbox ${at}.`);
    sandbox.load();
    await turn();
    return sandbox;
  };
  return { pool: openOne(), openOne, opened, loadedSandbox };
}

it("a function's sandboxes open one per concurrent event, up to the maximum; further events wait", async () => {
  const { pool, opened, loadedSandbox } = openPools({ sandboxesMax: 6 });
  const events = Array.from({ length: 8 }, () => pool.invoke({}));
  await turn();
  expect(opened).toHaveLength(6);
  for (let at = 0; at < 6; at++) await loadedSandbox(at);
  for (const [at, sandbox] of opened.entries()) sandbox.answer(at);
  expect(await Promise.all(events.slice(0, 6))).toEqual([0, 1, 2, 3, 4, 5]);
  opened[0]?.answer("seventh");
  opened[1]?.answer("eighth");
  expect(await Promise.all(events.slice(6))).toEqual(["seventh", "eighth"]);
  expect(opened).toHaveLength(6);
});

it("a function's sandboxes serve an event by the first that is free, loaded or not", async () => {
  const { pool, opened, loadedSandbox } = openPools();
  const first = pool.invoke({});
  const sandbox = await loadedSandbox(0);
  const second = pool.invoke({});
  await turn();
  expect(opened).toHaveLength(2);
  sandbox.answer("first");
  await first;
  await turn();
  sandbox.answer("second");
  expect(await second).toBe("second");
});

it("a function's sandboxes are loaded a few at a time in all functions together", async () => {
  const { pool, openOne, opened, loadedSandbox } = openPools({
    budget: { sandboxesMax: 100, loadsMax: 2, startLoadsMax: 2 },
  });
  const other = openOne();
  for (const one of [pool, other, pool, other]) void one.invoke({});
  await turn();
  expect(opened).toHaveLength(2);
  await loadedSandbox(0);
  expect(opened).toHaveLength(3);
});

it("a function's sandboxes have one more loaded ahead once two are busy for longer than an ordinary event", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { pool, opened, loadedSandbox } = openPools();
  const first = [pool.invoke({}), pool.invoke({})];
  await turn();
  for (const at of [0, 1]) await loadedSandbox(at);
  for (const sandbox of opened) sandbox.answer(null);
  await Promise.all(first);
  void pool.invoke({});
  await turn();
  const short = pool.invoke({});
  await turn();
  opened[0]?.answer(null);
  await short;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(opened).toHaveLength(2);
  void pool.invoke({});
  await turn();
  expect(opened).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(opened).toHaveLength(3);
  await loadedSandbox(2);
  const third = pool.invoke({});
  await turn();
  opened[2]?.answer("at once");
  expect(await third).toBe("at once");
});

it("a function's sandboxes are not opened for an event that another one has served by then", async () => {
  const { pool, opened, loadedSandbox } = openPools({ budget: { sandboxesMax: 100, loadsMax: 1, startLoadsMax: 1 } });
  const events = [pool.invoke({}), pool.invoke({})];
  const sandbox = await loadedSandbox(0);
  expect(opened).toHaveLength(2);
  void pool.invoke({}).catch(() => {});
  sandbox.answer(1);
  await turn();
  sandbox.answer(2);
  await turn();
  sandbox.answer(3);
  await Promise.all(events);
  await loadedSandbox(1);
  expect(opened).toHaveLength(2);
});

it("a function's sandboxes share the machine's memory, and each function may have two regardless", async () => {
  const { pool, openOne, opened, loadedSandbox } = openPools({
    budget: { sandboxesMax: 6, loadsMax: 100, startLoadsMax: 100 },
  });
  for (let at = 0; at < 10; at++) void pool.invoke({}).catch(() => {});
  await turn();
  expect(opened).toHaveLength(6);
  const other = openOne();
  for (let at = 0; at < 10; at++) void other.invoke({}).catch(() => {});
  await turn();
  expect(opened).toHaveLength(8);
  for (let at = 0; at < 8; at++) await loadedSandbox(at);
  // The first function has four left, and the memory is still in use.
  for (const at of [0, 1]) opened[at]?.fail();
  await turn();
  expect(opened).toHaveLength(8);
  opened[2]?.fail();
  await turn();
  expect(opened).toHaveLength(9);
});

it("a function's sandboxes that are idle for five seconds, all but the last, are closed when the memory is in use and another function needs one", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { pool, openOne, opened, loadedSandbox } = openPools({
    budget: { ...roomy, sandboxesMax: 6 },
  });
  const events = [1, 2, 3, 4].map(() => pool.invoke({}));
  await turn();
  for (const at of [0, 1, 2, 3]) await loadedSandbox(at);
  for (const sandbox of opened) sandbox.answer(null);
  await Promise.all(events);
  const other = openOne();
  for (let at = 0; at < 4; at++) void other.invoke({}).catch(() => {});
  await vi.advanceTimersByTimeAsync(4_900);
  // They are left to a function that may need them with its next event.
  expect(opened).toHaveLength(6);
  expect(opened.some((sandbox) => sandbox.isClosed())).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(opened.map((sandbox) => sandbox.isClosed())).toEqual([true, true, ...Array(6).fill(false)]);
});

it("a function's first two sandboxes open although the memory is in use, in place of an idle one that was just used", async () => {
  const { pool, openOne, opened, loadedSandbox } = openPools({ budget: { ...roomy, sandboxesMax: 2 } });
  const events = [pool.invoke({}), pool.invoke({})];
  await turn();
  for (const at of [0, 1]) await loadedSandbox(at);
  for (const sandbox of opened) sandbox.answer(null);
  await Promise.all(events);
  void openOne()
    .invoke({})
    .catch(() => {});
  await turn();
  expect(opened.map((sandbox) => sandbox.isClosed())).toEqual([true, false, false]);
});

it("a function's sandboxes open one after another while events run, with longer and longer pauses, and the first two at once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const budget = { ...roomy, processors: 100 };
  const { pool, opened, loadedSandbox } = openPools({ growthPause: 50, budget });
  const counts: number[] = [];
  for (let at = 0; at < 30; at++) {
    void pool.invoke({}).catch(() => {});
    await vi.advanceTimersByTimeAsync(50);
    for (let index = 0; index < opened.length; index++) await loadedSandbox(index);
    counts.push(opened.length);
  }
  expect(counts[0]).toBe(1);
  expect(counts[1]).toBe(2);
  // Thirty events run for a second and a half.
  expect(counts.at(-1)).toBeGreaterThan(5);
  expect(counts.at(-1)).toBeLessThan(10);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(opened).toHaveLength(30);
  await pool.close();
});

it("a function's sandboxes do not grow in number while as many compute as there are processors, but for an event that waits for five seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { pool, opened, loadedSandbox } = openPools({ growthPause: 50, budget: { ...roomy, processors: 1 } });
  void pool.invoke({}).catch(() => {});
  await turn();
  (await loadedSandbox(0)).computing = () => 0.9;
  void pool.invoke({}).catch(() => {});
  await vi.advanceTimersByTimeAsync(4_500);
  expect(opened).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(opened).toHaveLength(2);
  await pool.close();
});

it("a function's sandboxes do not grow in number while the threads of the stack use the processors, but for those that hang", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let demand = 1.6;
  const budget = { ...roomy, processors: 2, demand: () => demand };
  const { pool, opened, loadedSandbox } = openPools({ growthPause: 50, budget });
  for (let at = 0; at < 5; at++) void pool.invoke({}).catch(() => {});
  // One more than the processors that it could use would be of no use.
  await vi.advanceTimersByTimeAsync(500);
  expect(opened).toHaveLength(2);
  for (const at of [0, 1]) await loadedSandbox(at);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(opened).toHaveLength(2);
  for (const sandbox of opened) sandbox.hangs = () => true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(opened).toHaveLength(4);
  demand = 1.4;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(opened).toHaveLength(5);
  await pool.close();
});

it("a function's sandboxes that hang lengthen no pause before the next one", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { pool, opened, loadedSandbox } = openPools({ growthPause: 50, budget: { ...roomy, processors: 100 } });
  for (let at = 0; at < 20; at++) void pool.invoke({}).catch(() => {});
  for (let at = 0; at < 20; at++) {
    await vi.advanceTimersByTimeAsync(50);
    for (const sandbox of opened) sandbox.hangs = () => true;
    for (let index = 0; index < opened.length; index++) await loadedSandbox(index);
  }
  // Each beside one that loads, in place of the fourth after 300 ms.
  expect(opened.length).toBeGreaterThanOrEqual(20);
  await pool.close();
});

it("a function's sandboxes have one loaded ahead for each event that hangs, up to eight, and one without such an event", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { pool, opened, loadedSandbox } = openPools();
  const load = async (): Promise<void> => {
    for (let round = 0; round < 12; round++) {
      await vi.advanceTimersByTimeAsync(100);
      for (let at = 0; at < opened.length; at++) await loadedSandbox(at);
    }
  };
  const invoke = (count: number): void => {
    for (let at = 0; at < count; at++) void pool.invoke({}).catch(() => {});
  };
  invoke(3);
  await load();
  expect(opened).toHaveLength(4);
  for (const sandbox of opened.slice(0, 3)) sandbox.hangs = () => true;
  invoke(1);
  await load();
  // Four events run, of which three hang.
  expect(opened).toHaveLength(7);
  for (const sandbox of opened.slice(0, 4)) sandbox.hangs = () => true;
  invoke(6);
  await load();
  for (const sandbox of opened.slice(0, 10)) sandbox.hangs = () => true;
  invoke(1);
  await load();
  expect(opened).toHaveLength(19);
  await pool.close();
});

it("the demand for processors is what all threads computed and waited for, by the time that passed", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let threads = new Map([["first", 5_000]]);
  const demand = observeDemand(() => threads);
  // What was before the first observation is not of now.
  expect(demand()).toBe(0);
  threads = new Map([
    ["first", 5_150],
    ["second", 50],
  ]);
  vi.advanceTimersByTime(50);
  expect(demand()).toBe(0);
  vi.advanceTimersByTime(50);
  expect(demand()).toBe(2);
  vi.advanceTimersByTime(2_000);
  expect(demand()).toBe(0);
});

it("a function's sandboxes leave an idle one to the other sources of events, and a source without an event finds it", async () => {
  const { pool, opened, loadedSandbox } = openPools({ sources: 2 });
  const first = [pool.invoke({}, "slow"), pool.invoke({}, "fast")];
  await turn();
  for (const at of [0, 1]) await loadedSandbox(at);
  for (const sandbox of opened) sandbox.answer(null);
  await Promise.all(first);
  void pool.invoke({}, "slow").catch(() => {});
  void pool.invoke({}, "slow").catch(() => {});
  const fast = pool.invoke({}, "fast");
  await turn();
  for (const sandbox of opened.slice(0, 2)) sandbox.answer("found");
  expect(await fast).toBe("found");
  expect(opened).toHaveLength(3);
});

it("a function's sandboxes leave no idle one to the other sources when no further one may open: the event does not wait for one that hangs", async () => {
  const { pool, opened, loadedSandbox } = openPools({ sources: 2, budget: { ...roomy, sandboxesMax: 2 } });
  const first = [pool.invoke({}, "slow"), pool.invoke({}, "fast")];
  await turn();
  for (const at of [0, 1]) await loadedSandbox(at);
  for (const sandbox of opened) sandbox.answer(null);
  await Promise.all(first);
  void pool.invoke({}, "slow").catch(() => {});
  await turn();
  const second = pool.invoke({}, "slow");
  await turn();
  // The last one that was idle. The other one hangs.
  opened[0]?.answer("done");
  expect(await second).toBe("done");
  expect(opened).toHaveLength(2);
  await pool.close();
});

it("a source of events reads the next one when a sandbox is idle, or after a tenth of a second, and no more than one that waits", async () => {
  const { pool, loadedSandbox } = openPools({ sandboxesMax: 1 });
  const event = pool.invoke({}, "queue");
  const sandbox = await loadedSandbox(0);
  const startedAt = performance.now();
  await pool.ready("queue");
  expect(performance.now() - startedAt).toBeGreaterThan(90);
  const waiting = pool.invoke({}, "queue");
  let isReady = false;
  const ready = pool.ready("queue").then(() => {
    isReady = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(isReady).toBe(false);
  sandbox.answer(1);
  await event;
  await turn();
  sandbox.answer(2);
  await Promise.all([waiting, ready]);
  await pool.ready("queue");
});

it("a function's sandboxes fail the event that waits for one that cannot be loaded, and open another for the next event", async () => {
  const { pool, opened, loadedSandbox } = openPools();
  const event = pool.invoke({});
  await turn();
  opened[0]?.load(new FunctionFailed("unloadable", "broken"));
  await expect(event).rejects.toMatchObject({ reason: "unloadable" });
  const next = pool.invoke({});
  await turn();
  (await loadedSandbox(1)).answer("second");
  expect(await next).toBe("second");
});

it("a function's sandboxes are replaced after a timeout while an event waits", async () => {
  const { pool, opened, loadedSandbox } = openPools({ sandboxesMax: 1 });
  const late = pool.invoke({});
  const waiting = pool.invoke({});
  (await loadedSandbox(0)).fail();
  await expect(late).rejects.toMatchObject({ reason: "timed-out" });
  await turn();
  (await loadedSandbox(1)).answer("next");
  expect(await waiting).toBe("next");
  expect(opened).toHaveLength(2);
});

it("a function's sandboxes are closed when they are idle for long, all but the last", async () => {
  const { pool, opened, loadedSandbox } = openPools({ idleMax: 1 });
  const events = [pool.invoke({}), pool.invoke({}), pool.invoke({})];
  await turn();
  for (const at of [0, 1, 2]) await loadedSandbox(at);
  for (const sandbox of opened) sandbox.answer(null);
  await Promise.all(events);
  await expect.poll(() => opened.map((sandbox) => sandbox.isClosed())).toEqual([true, true, false]);
});

it("a function's last sandbox is closed when it is idle for longer, and the next event opens another", async () => {
  const { pool, opened, loadedSandbox } = openPools({ idleMax: 1, lastIdleMax: 2 });
  const event = pool.invoke({});
  (await loadedSandbox(0)).answer(null);
  await event;
  await expect.poll(() => opened[0]?.isClosed()).toBe(true);
  const next = pool.invoke({});
  await turn();
  (await loadedSandbox(1)).answer("another");
  expect(await next).toBe("another");
});

it("a function's sandboxes are loaded before the first event where the stack asks for it", async () => {
  const { pool, opened, loadedSandbox } = openPools();
  const loading = pool.load();
  await turn();
  const sandbox = await loadedSandbox(0);
  await loading;
  const event = pool.invoke({});
  await turn();
  sandbox.answer("warm");
  expect(await event).toBe("warm");
  expect(opened).toHaveLength(1);
});

it("a function's sandboxes end with the stack, and so do the events that wait", async () => {
  const { pool, opened, loadedSandbox } = openPools({ sandboxesMax: 1 });
  void pool.invoke({});
  const waiting = pool.invoke({});
  await loadedSandbox(0);
  await pool.close();
  await expect(waiting).rejects.toMatchObject({ reason: "died" });
  expect(opened.map((sandbox) => sandbox.isClosed())).toEqual([true]);
});

it("the loads of a stack that starts use every processor, and those after the start leave one free", async () => {
  const budget = openSandboxBudget({ sandboxesMax: 100, loadsMax: 1, startLoadsMax: 2 });
  const loads = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const running: number[] = [];
  const load = (at: number): Promise<void> =>
    budget.whileLoading(async () => {
      running.push(at);
      await loads[at]?.promise;
    });
  const starting = budget.whileStarting(async () => {
    await Promise.all([load(0), load(1), load(2)]);
  });
  await turn();
  expect(running).toEqual([0, 1]);
  for (const { resolve } of loads.slice(0, 3)) resolve();
  await starting;
  expect(running).toEqual([0, 1, 2]);
  const after = Promise.withResolvers<void>();
  void budget.whileLoading(() => after.promise);
  void load(3);
  await turn();
  expect(running).toEqual([0, 1, 2]);
  after.resolve();
  await turn();
  expect(running).toEqual([0, 1, 2, 3]);
});
