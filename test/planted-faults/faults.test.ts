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

test.for(plantedFaults)("the test that must notice it exists: $name", ({ killedBy: { file, title } }) => {
  expect(testNames(join(root, file)).map(({ name }) => name)).toContain(title);
});
