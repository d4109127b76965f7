import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { isInWholeRunsOnly } from "../support/run/whole-runs-only.ts";
import type { PlantedFault } from "./planted-fault.ts";

/** A test of a run: its file from the copy's root, its own title, and how it ended. */
interface TestResult {
  readonly file: string;
  readonly title: string;
  readonly status: string;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

/** Whether the test that notices a fault passes, by its results among others. @returns null if it did not run */
export function passes(results: readonly TestResult[], { file, title }: PlantedFault["killedBy"]): boolean | null {
  const pattern = new RegExp(`^${titlePattern(title)}$`);
  const own = results.filter((result) => result.file === file && pattern.test(result.title));
  return own.length === 0 ? null : own.every(({ status }) => status === "passed");
}

function titlePattern(title: string): string {
  return title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/%[sidj]/g, ".+");
}

/**
 * Runs the tests of a copy of the repository that notice faults, in one run.
 * @param tests all of the full run alone, or none
 * @param faultStep 3 injects one of the three kinds of faults into each call of a process, in turn, and 1 each of them
 * @returns the tests that ran; none of a file that could not be loaded
 */
export async function runTests(
  directory: string,
  tests: readonly PlantedFault["killedBy"][],
  faultStep: 1 | 3 = 3,
): Promise<TestResult[]> {
  const files = [...new Set(tests.map(({ file }) => file))];
  if (files.length === 0) return [];
  const outputFile = join(directory, ".planted-report.json");
  rmSync(outputFile, { force: true });
  const pattern = ["-t", [...new Set(tests.map(({ title }) => titlePattern(title)))].join("|")];
  const vitest = join(directory, "node_modules", "vitest", "vitest.mjs");
  const config = tests.some(isFull) ? ["--config", "vitest.full.config.ts"] : [];
  const child = spawn(
    process.execPath,
    [vitest, "run", ...config, ...files, ...pattern, "--reporter=json", `--outputFile=${outputFile}`],
    { cwd: directory, stdio: "ignore", env: { ...process.env, TEST_FAULT_STEP: `${faultStep}` } },
  );
  await once(child, "exit");
  if (!existsSync(outputFile)) return [];
  const report = JSON.parse(readFileSync(outputFile, "utf8")) as Report;
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "passed" || status === "failed")
      .map(({ title, status }) => ({ file: relative(directory, name), title, status })),
  );
}

/** Whether only `npm run test:full` has a test. */
export function isFull({ file }: PlantedFault["killedBy"]): boolean {
  return isInWholeRunsOnly(file);
}
