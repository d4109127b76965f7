import { expect, test } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import {
  areCompletionsExhausted,
  checkWindowAt,
  isAddressExhausted,
  isHoldExhausted,
  secondsUntilNextWindow,
} from "#features/holds/rules/check-attempts.ts";

const start = 6_000_000 * 5 * MINUTE;

test("windows are five minutes long, and the wait until their end is at least one whole second", () => {
  expect(checkWindowAt(start)).toEqual({ start, end: start + 5 * MINUTE });
  expect(checkWindowAt(start + 5 * MINUTE - 1)).toEqual({ start, end: start + 5 * MINUTE });
  expect(secondsUntilNextWindow(start)).toBe(300);
  expect(secondsUntilNextWindow(start + 4 * MINUTE + 59 * SECOND + 1)).toBe(1);
  expect(secondsUntilNextWindow(start + 5 * MINUTE - 1)).toBe(1);
});

test("an address has 30 failures and a hold 10 attempts, and the last challenge can still be completed", () => {
  expect(isAddressExhausted({ all: 29, failed: 29 })).toBe(false);
  expect(isAddressExhausted({ all: 30, failed: 30 })).toBe(true);
  expect(isHoldExhausted({ all: 9, failed: 9 })).toBe(false);
  expect(isHoldExhausted({ all: 10, failed: 0 })).toBe(true);
  expect(areCompletionsExhausted({ all: 10, failed: 0 })).toBe(false);
  expect(areCompletionsExhausted({ all: 10, failed: 1 })).toBe(true);
  expect(areCompletionsExhausted({ all: 9, failed: 9 })).toBe(false);
});
