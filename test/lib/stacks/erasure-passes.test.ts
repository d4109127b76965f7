import { expect, test } from "vitest";
import { NEXT_PASS_AFTER } from "../../../shared/domain/erasure/erasures.ts";
import { SECOND } from "../../../shared/kernel/time.ts";
import { ofType, templates } from "../synthesized.ts";

test("a pass of an erasure comes later than any function runs that had read before it", () => {
  const timeouts = ofType(templates().service, "AWS::Lambda::Function").map(([, { Properties }]) =>
    Number(Properties.Timeout),
  );
  expect(timeouts.length).toBeGreaterThan(5);
  expect(Math.max(...timeouts) * SECOND).toBeLessThan(NEXT_PASS_AFTER);
});
