import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { operations } from "./walks.ts";

const folder = mkdtempSync(join(tmpdir(), "parley-walks-"));
afterAll(() => rmSync(folder, { recursive: true }));

function record(name: string): string {
  const file = join(folder, name);
  execFileSync(process.execPath, [join(import.meta.dirname, "record.ts"), file], { stdio: "inherit" });
  return readFileSync(file, "utf8");
}

it("the operations store, queue and log the same in each run, so that two commits can be compared", () => {
  const first = record("first.json");
  expect(record("second.json")).toBe(first);
  const recordings: Record<string, { items: unknown[] }> = JSON.parse(first);
  expect(Object.keys(recordings)).toEqual(operations.map(({ name }) => name));
  expect(Object.values(recordings).filter(({ items }) => items.length === 0)).toEqual([]);
});
