import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A test of a run: its own title, and how it ended. */
interface TestResult {
  readonly title: string;
  readonly status: string;
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

/** The results of the tests with this title of a `PlantedFault`. */
export function withTitle(results: readonly TestResult[], title: string): TestResult[] {
  const pattern = new RegExp(`^${titlePattern(title)}$`);
  return results.filter((result) => pattern.test(result.title));
}

function titlePattern(title: string): string {
  return title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/%[sidj]/g, ".+");
}

/**
 * Runs test files of a copy of the repository.
 * @param title as in a `PlantedFault`. Default: all tests
 * @returns the tests that ran; none of a file that could not be loaded
 */
export async function runTests(directory: string, files: readonly string[], title?: string): Promise<TestResult[]> {
  const outputFile = join(directory, ".planted-report.json");
  rmSync(outputFile, { force: true });
  const pattern = title === undefined ? [] : ["-t", titlePattern(title)];
  const vitest = join(directory, "node_modules", "vitest", "vitest.mjs");
  const needsFull = files.some((file) => file.startsWith("test/full/"));
  const config = needsFull ? ["--config", "vitest.full.config.ts"] : [];
  const child = spawn(
    process.execPath,
    [vitest, "run", ...config, ...files, ...pattern, "--reporter=json", `--outputFile=${outputFile}`],
    { cwd: directory, stdio: "ignore" },
  );
  await once(child, "exit");
  if (!existsSync(outputFile)) return [];
  const report = JSON.parse(readFileSync(outputFile, "utf8")) as Report;
  return report.testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "passed" || status === "failed")
      .map(({ title, status }) => ({ title, status })),
  );
}
