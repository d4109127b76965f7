import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { loadAccessKey } from "#local-aws/access/access-key.ts";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";

const folder = mkdtempSync(join(tmpdir(), "access-key-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("an access key is random, created once, and its owner's alone", () => {
  const file = join(folder, "created");
  const key = loadAccessKey(file);
  expect(key.id).toMatch(/^LOCAL[0-9A-F]{15}$/);
  expect(key.secret).toMatch(/^[0-9a-f]{40}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(loadAccessKey(file)).toEqual(key);
  expect(loadAccessKey(join(folder, "other"))).not.toEqual(key);
});

it("a file without an access key is refused with the fix", () => {
  const file = join(folder, "damaged");
  writeFileSync(file, "[default]\n");
  expect(() => loadAccessKey(file)).toThrow(LocalRefusal);
  expect(() => loadAccessKey(file)).toThrow("Remove the file");
});
