import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT } from "./markdown.ts";

/** How far before a command of the repository that of the packages may stand. */
const NEAR_CHARS = 120;

it("a published package names no command of the repository without the one that works anywhere", () => {
  const uses = globSync("packages/*/src/**/*.{ts,html}", { cwd: PROJECT }).flatMap((file) => {
    const text = readFileSync(join(PROJECT, file), "utf8");
    return [...text.matchAll(/npm run (local|admin)\b/g)].map(({ index }) => ({
      file,
      near: text.slice(Math.max(0, index - NEAR_CHARS), index),
    }));
  });
  expect(uses.map(({ file }) => file)).toContain("packages/cli/src/target/local-stack.ts");
  expect(uses.filter(({ near }) => !near.includes("npx parley "))).toEqual([]);
});
