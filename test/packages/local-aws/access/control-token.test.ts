import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { loadControlToken } from "#local-aws/access/control-token.ts";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";

const folder = mkdtempSync(join(tmpdir(), "control-token-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("a control token is random, created once, and its owner's alone", () => {
  const file = join(folder, "created");
  const token = loadControlToken(file);
  expect(token.value).toMatch(/^[0-9a-f]{40}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(loadControlToken(file)).toEqual(token);
  expect(loadControlToken(join(folder, "other")).value).not.toBe(token.value);
});

it.each(["", "\n", "short", "a token with spaces in it"])("a file with %j is refused with the fix", (text) => {
  const file = join(folder, "damaged");
  writeFileSync(file, text);
  expect(() => loadControlToken(file)).toThrow(LocalRefusal);
  expect(() => loadControlToken(file)).toThrow("Remove the file");
});
