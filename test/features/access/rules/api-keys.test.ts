import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { API_KEY_RANDOM_BYTES, apiKeyPrefix, formatApiKey, parseApiKey } from "#features/access/rules/callers.ts";

test("a key matches the pattern for secret scanners and ends with a CRC-32", () => {
  const key = formatApiKey("live", randomBytes(API_KEY_RANDOM_BYTES));
  expect(key).toMatch(/^svc_live_[0-9A-Za-z]{46}$/);
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const check = [...key.slice(-6)].reduce((sum, char) => sum * 62 + digits.indexOf(char), 0);
  expect(check).toBe(crc32(key.slice(0, -6)));
  expect(apiKeyPrefix(key)).toBe(key.slice(0, 13));
});

test("a key with any character changed is invalid", () => {
  const key = formatApiKey("test", randomBytes(API_KEY_RANDOM_BYTES));
  expect(parseApiKey(key)).toBe(key);
  for (let at = 0; at < key.length; at++) {
    const changed = key.slice(0, at) + (key[at] === "a" ? "b" : "a") + key.slice(at + 1);
    expect(parseApiKey(changed), `changed at ${at}`).toBeNull();
  }
});

test("any other text is not a key", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parseApiKey(text)).toBeNull();
    }),
  );
});
