import { expect, it } from "vitest";
import { answerOf, observePorts } from "./work-left.ts";

it("names the calls that a handler leaves in progress, and only its own", async () => {
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
