import { expect, it } from "vitest";
import { atStage, failedStage } from "#base/kernel/attempt-stage.ts";

it("an error keeps the stage that threw it first, and is thrown unchanged", async () => {
  const error = new Error("broken");
  const work = atStage("follow_up", atStage("record", Promise.reject(error)));
  await expect(work).rejects.toBe(error);
  expect(failedStage(error)).toBe("record");
});

it("an error that no stage threw has no stage", async () => {
  expect(await atStage("call", Promise.resolve(1))).toBe(1);
  expect(failedStage(new Error("broken"))).toBeUndefined();
  await expect(atStage("call", Promise.reject("text"))).rejects.toBe("text");
  expect(failedStage("text")).toBeUndefined();
});
