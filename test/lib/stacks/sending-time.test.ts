import { expect, test } from "vitest";
import { PLATFORM_FETCH_TIMEOUT, PLATFORM_TIMEOUT } from "#base/kernel/limits.ts";
import { SECOND } from "#base/kernel/time.ts";
import { SEND_SETTLE_RESERVE, SEND_SETTLE_RESERVE_MIN } from "#features/sending/rules/sends.ts";
import { resourceProperties, synthesizeTemplates } from "../synth-templates.ts";

/** The longest time for which an HTTP API waits for a function. */
const GATEWAY_LIMIT = 30 * SECOND;
/** The time to answer: half of it is reserved at each of two levels. */
const ANSWERING = SECOND;

const timeoutOf = (name: string) => Number(resourceProperties(synthesizeTemplates().service, name).Timeout) * SECOND;

test.each(["Api", "Verify"])("%s ends before the gateway's limit, with time for its start", (name) => {
  expect(timeoutOf(name)).toBeLessThanOrEqual(GATEWAY_LIMIT - SECOND);
});

test.each(["Api", "Verify"])("%s has time to call the platform and to store the outcome before it answers", (name) => {
  const beforeTheCall = timeoutOf(name) - ANSWERING - SEND_SETTLE_RESERVE - PLATFORM_TIMEOUT;
  expect(beforeTheCall).toBeGreaterThanOrEqual(10 * SECOND);
});

test.each(["Api", "Verify"])("%s has 25 seconds for a platform that fetches a file, if it calls within one", (name) => {
  expect(PLATFORM_FETCH_TIMEOUT).toBe(25 * SECOND);
  const beforeTheCall = timeoutOf(name) - ANSWERING - SEND_SETTLE_RESERVE_MIN - PLATFORM_FETCH_TIMEOUT;
  expect(beforeTheCall).toBeGreaterThanOrEqual(SECOND);
});
