import { expect, test } from "vitest";
import { PLATFORM_TIMEOUT } from "../../../shared/domain/limits.ts";
import { SEND_SETTLE_RESERVE } from "../../../shared/domain/sending/sends.ts";
import { SECOND } from "../../../shared/kernel/time.ts";
import { resourceProperties, synthesizeTemplates } from "../synth-templates.ts";

/** The longest time for which an HTTP API waits for a function. */
const GATEWAY_LIMIT = 30 * SECOND;

test.each(["Api", "Verify"])("%s has time to call the platform and to store the outcome before it answers", (name) => {
  const timeout = Number(resourceProperties(synthesizeTemplates().service, name).Timeout) * SECOND;
  expect(timeout).toBeLessThan(GATEWAY_LIMIT);
  // Half of the time to answer is reserved at each of two levels, and the rest is for the steps before the call.
  const answering = SECOND;
  expect(timeout - answering - SEND_SETTLE_RESERVE - PLATFORM_TIMEOUT).toBeGreaterThanOrEqual(10 * SECOND);
});
