import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createLoopClock } from "#base/kernel/deadline.ts";
import { blockLoop } from "../net/starved.ts";

/** For the timers of a busy machine. */
const SLACK = 60;

test("the clock goes on while the loop is idle", async () => {
  const clock = createLoopClock();
  const cancel = clock.after(60_000, () => {});
  const [startedAt, realStart] = [clock.now(), performance.now()];
  await wait(200);
  const [elapsed, real] = [clock.now() - startedAt, performance.now() - realStart];
  // A busy machine blocks the loop for a while, too.
  expect(elapsed).toBeGreaterThan(100);
  expect(elapsed).toBeLessThanOrEqual(real);
  cancel();
});

test("the clock stands still while the loop is blocked, also before the next beat, and never goes backward", async () => {
  const clock = createLoopClock();
  const cancel = clock.after(60_000, () => {});
  const startedAt = clock.now();
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    blockLoop(150);
    times.push(clock.now());
    await wait(1);
    times.push(clock.now());
  }
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect((times.at(-1) ?? 0) - startedAt).toBeLessThan(5 * 30 + SLACK);
  cancel();
});

test("a call comes after its delay, and a block of the loop adds to it", async () => {
  const clock = createLoopClock();
  const startedAt = performance.now();
  const called = new Promise<number>((resolve) => clock.after(100, () => resolve(performance.now() - startedAt)));
  await wait(20);
  blockLoop(300);
  expect(await called).toBeGreaterThan(350);
});

test("a call that is cancelled never comes, also when its time is over", async () => {
  const clock = createLoopClock();
  let calls = 0;
  const cancels = [0, 30].map((delay) => clock.after(delay, () => (calls += 1)));
  for (const cancel of cancels) cancel();
  await wait(80);
  expect(calls).toBe(0);
});

test("what a socket has received comes before a call whose time is over", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  const [receiver] = await accepted;
  const order: string[] = [];
  const received = once(
    receiver.on("data", () => order.push("data")),
    "data",
  );
  // Behind the phase of the loop that reads sockets: the next one begins with its timers.
  await new Promise((resolve) => setImmediate(resolve));
  const called = new Promise<void>((resolve) => {
    createLoopClock().after(5, () => {
      order.push("call");
      resolve();
    });
  });
  client.write("x");
  blockLoop(15);
  await Promise.all([called, received]);
  expect(order).toEqual(["data", "call"]);
});

test("a clock without calls leaves no timer behind", async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  const clock = createLoopClock();
  const cancels = [1, 2, 3].map(() => clock.after(60_000, () => {}));
  for (const cancel of cancels) cancel();
  expect(timers()).toBe(before);
});
