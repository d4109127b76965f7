import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Journal, readJournal } from "#local-aws/emulators/journal.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "journal-"));
  file = join(folder, "test.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = () => [...readJournal<unknown>(file)];

test("a journal returns entries of any size in order", () => {
  const entries = [{ a: 1 }, "line\nbreak", "é".repeat(700_000), null, "x".repeat(3_000_000), 5];
  const journal = new Journal<unknown>(file, entries.slice(0, 2));
  journal.append(...entries.slice(2, 4));
  journal.append(...entries.slice(4));
  journal.close();
  expect(read()).toEqual(entries);
});

test("a missing journal is empty", () => {
  expect(read()).toEqual([]);
});

test("a truncated last line is ignored, wherever it was cut", () => {
  const whole = '{"n":1}\n{"n":"é"}\n';
  const first = '{"n":1}\n'.length;
  const bytes = Buffer.from(whole);
  for (let length = first; length < bytes.length; length++) {
    writeFileSync(file, bytes.subarray(0, length));
    expect(read(), `${length} bytes`).toEqual([{ n: 1 }]);
  }
  writeFileSync(file, bytes);
  expect(read()).toEqual([{ n: 1 }, { n: "é" }]);
});

test("a damaged complete line is an error that names the file and the line", () => {
  writeFileSync(file, "1\nnot json\n3\n");
  expect(read).toThrow(`${file}: line 2 is damaged`);
});

test("a rewrite leaves only the given entries, and later appends follow them", () => {
  const journal = new Journal<number>(file, [1, 2, 3]);
  journal.append(4);
  journal.rewrite([2, 4]);
  journal.append(5);
  journal.close();
  expect(read()).toEqual([2, 4, 5]);
});

test("an interrupted rewrite leaves the journal unchanged", () => {
  new Journal<number>(file, [1, 2]).close();
  appendFileSync(`${file}.new`, "1");
  const again = new Journal<number>(file, readJournal<number>(file));
  again.close();
  expect(read()).toEqual([1, 2]);
  expect(readFileSync(file, "utf8")).toBe("1\n2\n");
});

test("a journal needs a rewrite only when it is many times larger than its last rewrite", () => {
  const journal = new Journal<string>(file, []);
  expect(journal.needsRewrite).toBe(false);
  const mebibyte = "x".repeat(1024 * 1024);
  for (let count = 0; count < 31; count++) journal.append(mebibyte);
  expect(journal.needsRewrite).toBe(false);
  journal.append(mebibyte);
  expect(journal.needsRewrite).toBe(true);
  journal.rewrite([]);
  expect(journal.needsRewrite).toBe(false);
  journal.close();
});
