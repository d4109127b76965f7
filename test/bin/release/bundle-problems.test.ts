import { expect, it } from "vitest";
import { functions } from "#base/config/names.ts";
import { type BundleFacts, bundleProblems } from "../../../bin/release/bundle-problems.ts";
import { bundleBudgets } from "../../../lib/bundles/bundle-budgets.ts";

const sourceMap = JSON.stringify({ version: 3, sources: ["functions/api/handler.ts"], mappings: "AAAA" });
const sound: BundleFacts = {
  name: "Api",
  bytes: 900,
  budget: 900,
  files: ["index.mjs"],
  deployed: "code",
  mapped: "code",
  sourceMap,
};

it("a bundle within its budget, with a source map that is not deployed, has no problem", () => {
  expect(bundleProblems(sound)).toEqual([]);
});

it.each<[string, Partial<BundleFacts>, string]>([
  ["is a byte above its budget", { bytes: 901 }, "Api has 901 bytes, above its budget of 900."],
  ["has no source map", { sourceMap: "" }, "Api has no source map."],
  [
    "has a source map without sources",
    { sourceMap: '{"version":3,"sources":[],"mappings":"A"}' },
    "Api has no source map.",
  ],
  ["has other code than its source map", { mapped: "other" }, "The source map of Api is not of the bundle"],
  [
    "contains a source map",
    { files: ["index.mjs", "index.mjs.map"] },
    "Api would deploy the source map index.mjs.map.",
  ],
  [
    "names a source map",
    { deployed: "code\n//# sourceMappingURL=index.mjs.map", mapped: "code\n//# sourceMappingURL=index.mjs.map" },
    "Api names a source map that is not deployed.",
  ],
])("a bundle that %s is refused", (_, change, problem) => {
  const problems = bundleProblems({ ...sound, ...change });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
});

it("every function has a budget", () => {
  expect(Object.keys(bundleBudgets)).toEqual([...functions]);
});
