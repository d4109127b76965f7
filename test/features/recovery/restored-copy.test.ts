import { expect, it } from "vitest";
import { deriveErasureId } from "#features/erasure/rules/erasures.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import { injectFaults } from "../../support/faults.ts";
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

it("a preparation reads the whole table once, and a restore twice", async () => {
  const lost = await openLostTime(testEnv);
  await lost.reset();
  let reads = 0;
  const end = injectFaults(testEnv.client, ({ command, input }) => {
    // The deletion of a tenant looks for its rows by scans of its own.
    const { FilterExpression = "" } = input as { readonly FilterExpression?: string };
    if (command === "Scan" && FilterExpression.startsWith("PK = :operators")) reads++;
    return "pass";
  });
  await lost.run(true);
  expect(reads).toBe(1);
  await lost.run(false);
  expect(reads).toBe(3);
  end();
});
