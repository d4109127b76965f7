import { expect, it } from "vitest";
import { deriveErasureId } from "#features/erasure/rules/erasures.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";
import { openLostTime, PREPARED, RESTORED } from "./support/lost-time.ts";

const testEnv = openedOnce(openTestEnv);

it("a copy that is prepared shows no erased conversation and calls no URL that was taken away, at any step of its restore", async () => {
  const lost = await openLostTime(testEnv);
  await lost.reset();
  expect(await lost.state()).toMatchObject({
    ...{ conversation: 200, key: "active", tenants: ["active", "active", "active"], invite: "pending" },
    ...{ endpoints: ["active", "active", "active", "active", "active"], sends: "not stopped" },
  });
  expect(await lost.run(true)).toEqual({ kind: "prepared" });
  expect(await lost.state()).toEqual(PREPARED);

  const read: unknown[] = [];
  const steps: string[] = [];
  const result = await lost.run(false, ({ step }) => {
    steps.push(step);
    read.push(lost.read());
  });
  expect(result).toMatchObject({ kind: "done" });
  expect(steps).toEqual(["sends off", "sessions", "journal", "fetch", "late acts", "sends on"]);
  expect(await Promise.all(read)).toEqual(steps.map(() => 404));
  expect(await lost.state()).toEqual(RESTORED);
  const erasure = await erasureStore(testEnv.table).get(lost.tenant, deriveErasureId(lost.conversation));
  expect(erasure).toMatchObject({ phase: expect.not.stringMatching("first") });
});
