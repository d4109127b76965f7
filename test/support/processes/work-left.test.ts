import { expect, it } from "vitest";
import { answerOf, observePorts, requireNoLateCalls } from "./work-left.ts";

it("the check names the calls that a handler leaves in progress, and only its own", async () => {
  const end = Promise.withResolvers<void>();
  const ports = observePorts({ queue: { send: () => end.promise }, table: { get: async () => 1 } });
  const ofAnother = ports.queue.send();
  expect(await answerOf(async () => ports.table.get())).toBe(1);
  const careless = answerOf(async () => {
    void ports.queue.send();
    return 1;
  });
  await expect(careless).rejects.toThrow("calls in progress: queue.send");
  end.resolve();
  await ofAnother;
});

it("the check names the calls that begin after the answer of their handler", async () => {
  const thaw = Promise.withResolvers<void>();
  const ports = observePorts({ queue: { send: async () => 1 } });
  let late: Promise<unknown> | undefined;
  await answerOf(async () => {
    late = thaw.promise.then(() => ports.queue.send());
  });
  requireNoLateCalls();
  thaw.resolve();
  await late;
  expect(requireNoLateCalls).toThrow("after their handler had answered: queue.send");
  requireNoLateCalls();
});
