import { expect, it } from "vitest";
import { arrangeKeys, isLabel, isUnused, type Key, keySnippets } from "../../../../web/console/keys/key-state.ts";

const NOW = Date.UTC(2026, 10, 29);
const ago = (days: number) => new Date(NOW - days * 86_400_000).toISOString();
const key = (more: Partial<Key>): Key => ({
  id: "1",
  prefix: "svc_live_Ab3d",
  scope: "live",
  strict: false,
  label: "desk",
  status: "active",
  created_at: ago(200),
  last_used_at: ago(1),
  ...more,
});

it("a key is unused after 90 days without a call, and a new one is not", () => {
  expect(isUnused(key({}), NOW)).toBe(false);
  expect(isUnused(key({ last_used_at: ago(90) }), NOW)).toBe(true);
  expect(isUnused(key({ last_used_at: ago(89) }), NOW)).toBe(false);
  expect(isUnused(key({ last_used_at: null }), NOW)).toBe(true);
  expect(isUnused(key({ last_used_at: null, created_at: ago(3) }), NOW)).toBe(false);
  expect(isUnused(key({ last_used_at: ago(90), status: "revoked" }), NOW)).toBe(false);
});

it("revoked keys stand after those that work, each group oldest first", () => {
  const keys = [
    key({ id: "1", status: "revoked" }),
    key({ id: "2" }),
    key({ id: "3", status: "revoked" }),
    key({ id: "4" }),
  ];
  expect(arrangeKeys(keys).map(({ id }) => id)).toEqual(["2", "4", "1", "3"]);
});

it("a name of a key is one line of at most 100 characters", () => {
  expect(["", "Order desk", "é".repeat(100)].map(isLabel)).toEqual([true, true, true]);
  expect(["a".repeat(101), "a\nb", "a\u202eb", "a\u0000"].map(isLabel)).toEqual([false, false, false, false]);
});

it("the examples of a key take it from a variable", () => {
  for (const { language, code } of keySnippets("https://parley.example")) {
    expect(code, language).toContain("https://parley.example/v1/conversations");
    expect(code, language).toContain("PARLEY_KEY");
    expect(code, language).not.toContain("svc_");
  }
});
