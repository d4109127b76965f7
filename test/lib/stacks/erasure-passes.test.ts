import { expect, test } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import { PASS_INTERVAL } from "#features/erasure/rules/erasures.ts";
import { resourcesOfType, synthesizeTemplates } from "../synth-templates.ts";

test("a later pass of an erasure runs after every function that read before the erasure has timed out", () => {
  const timeouts = resourcesOfType(synthesizeTemplates().service, "AWS::Lambda::Function").map(([, { Properties }]) =>
    Number(Properties.Timeout),
  );
  expect(timeouts.length).toBeGreaterThan(5);
  expect(Math.max(...timeouts) * SECOND).toBeLessThan(PASS_INTERVAL);
});
