import { expect, test } from "vitest";
import { PASS_INTERVAL } from "../../../shared/domain/erasure/erasures.ts";
import { SECOND } from "../../../shared/kernel/time.ts";
import { resourcesOfType, synthesizeTemplates } from "../synth-templates.ts";

test("a pass of an erasure comes later than any function runs that had read before it", () => {
  const timeouts = resourcesOfType(synthesizeTemplates().service, "AWS::Lambda::Function").map(([, { Properties }]) =>
    Number(Properties.Timeout),
  );
  expect(timeouts.length).toBeGreaterThan(5);
  expect(Math.max(...timeouts) * SECOND).toBeLessThan(PASS_INTERVAL);
});
