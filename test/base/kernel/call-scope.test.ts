import { expect, it } from "vitest";
import {
  captureCallScope,
  openCallScope,
  requireOpenCallScope,
  runInvocation,
  startSharedRead,
} from "#base/kernel/call-scope.ts";
import { memoizeForMinute } from "#base/kernel/memo.ts";

it("a call begins during its invocation, and outside of every invocation", async () => {
  requireOpenCallScope();
  await runInvocation(async () => {
    await null;
    requireOpenCallScope();
  });
  requireOpenCallScope();
});

it("a call does not begin once its invocation has answered or failed", async () => {
  const thaw = Promise.withResolvers<void>();
  const { left } = await runInvocation(async () => ({ left: thaw.promise.then(requireOpenCallScope) }));
  thaw.resolve();
  await expect(left).rejects.toMatchObject({ name: "OutOfTime" });
  let mayCall = () => true;
  const failing = runInvocation(async () => {
    mayCall = captureCallScope();
    throw new Error("spoilt");
  });
  await expect(failing).rejects.toThrow("spoilt");
  expect(mayCall()).toBe(false);
});

it("a call of a part that has ended does not begin, and the rest of the invocation continues", async () => {
  await runInvocation(async () => {
    const part = openCallScope();
    const mayCall = part.run(captureCallScope);
    expect(mayCall()).toBe(true);
    part.end();
    expect(mayCall()).toBe(false);
    requireOpenCallScope();
  });
});

it("a call of a part does not begin once the invocation has ended", async () => {
  let mayCall = () => true;
  await runInvocation(async () => {
    mayCall = openCallScope().run(captureCallScope);
  });
  expect(mayCall()).toBe(false);
});

it("a read that several invocations share is started again when its invocation has ended before it", async () => {
  const reads: PromiseWithResolvers<string>[] = [];
  const read = memoizeForMinute(() => {
    const pending = Promise.withResolvers<string>();
    reads.push(pending);
    return pending.promise;
  }, String);
  await runInvocation(async () => void read("key", 0));
  const [second, third] = await runInvocation(async () => {
    const results = [read("key", 1), read("key", 2)];
    reads[1]?.resolve("value");
    return Promise.all(results);
  });
  expect([second, third, reads.length]).toEqual(["value", "value", 2]);
  expect(await runInvocation(() => read("key", 3))).toBe("value");
  expect(reads).toHaveLength(2);
});

it("a read that several invocations share stays usable once it has succeeded", async () => {
  const shared = await runInvocation(async () => {
    const read = startSharedRead(async () => "value");
    await read.value;
    return read;
  });
  expect(shared.isUsable()).toBe(true);
});
