import { globSync, readFileSync } from "node:fs";
import { matchesGlob } from "node:path";
import { expect, it } from "vitest";
import { PROJECT } from "../../docs/markdown.ts";
import { testConfig } from "../vitest-projects.ts";
import { faultModules, otherFaultTests } from "./fault-tests.ts";

/** What changes the clients of AWS for another reason than a fault. */
const withoutFaults = [
  "aws/lean-client.ts", // is a client
  "meter.ts", // counts
  "pipeline.ts", // counts
  "processes/work-left.ts", // observes
  "virtual-time.ts", // gives an attempt its time
  "world/sdk-in-process.ts", // replaces the connection
];

const read = (file: string) => readFileSync(`${PROJECT}/${file}`, "utf8");

/** The files of the project `lean` in the full run. */
function leanFiles(): ReadonlySet<string> {
  const projects = testConfig({ full: true }).test?.projects ?? [];
  const tests = projects.flatMap((project) => (typeof project === "object" && "test" in project ? project.test : []));
  const { include = [], exclude = [] } = tests.find((test) => test?.name === "lean") ?? {};
  const files = globSync(include, { cwd: PROJECT });
  return new Set(files.filter((file) => !exclude.some((pattern) => matchesGlob(file, pattern))));
}

it("every test of the features, their base and the functions that names a helper of faults runs over the lean client", () => {
  const lean = leanFiles();
  const helpers =
    /\b(injectFault\w*|withFaults|eachFault|strikeEachCall|injectIntoProcesses|runFrozen|forEachFreezePoint|startProcess|suspendable|interleave|runInterleavings|openWorldTable|invokeUntilDeadline|mockClient)\(/;
  const tests = globSync("test/{features,base,platforms,functions,histories}/**/*.test.ts", { cwd: PROJECT });
  const withFaults = tests.filter((file) => helpers.test(read(file)));
  expect(withFaults.length).toBeGreaterThan(120);
  expect(withFaults.filter((file) => !lean.has(file) && !(file in otherFaultTests))).toEqual([]);
  // It gets its faults from a file beside it.
  expect(lean).toContain("test/features/uploads/flows/erasure-races.test.ts");
});

it("every module that changes the clients of AWS is a helper of faults, or does something else", () => {
  const modules = globSync("**/*.ts", { cwd: `${PROJECT}/test/support` }).filter(
    (file) =>
      !file.endsWith(".test.ts") &&
      !file.startsWith("run/") &&
      read(`test/support/${file}`).includes("middlewareStack"),
  );
  const known: readonly string[] = [...faultModules, ...withoutFaults];
  expect(modules.filter((file) => !known.includes(file))).toEqual([]);
  for (const file of known) expect(() => read(`test/support/${file}`)).not.toThrow();
});

it("a test of faults that stays out of the lean project exists, and injects faults", () => {
  for (const file of Object.keys(otherFaultTests)) expect(read(file), file).toMatch(/middlewareStack|[fF]ault/);
});
