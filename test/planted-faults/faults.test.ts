import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { testNames } from "../support/names/test-names.ts";
import { plantedFaults } from "./faults.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

test("every planted fault has its own name", () => {
  const names = plantedFaults.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test.for(plantedFaults)("the code that is replaced occurs once: $name", ({ file, search, replacement }) => {
  expect(read(file).split(search)).toHaveLength(2);
  expect(replacement).not.toBe(search);
});

/** The names of the tests of a file. Several faults name the same file, which is parsed once. */
const namesByFile = new Map<string, readonly string[]>();
function namesIn(file: string): readonly string[] {
  const names = namesByFile.get(file) ?? testNames(join(root, file)).map(({ name }) => name);
  namesByFile.set(file, names);
  return names;
}

test.for(plantedFaults)("the test that must notice it exists: $name", ({ killedBy: { file, title } }) => {
  expect(namesIn(file)).toContain(title);
});
