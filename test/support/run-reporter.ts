import type { Reporter, TestModule } from "vitest/node";
import { runCpuTime } from "./run/cpu-time.ts";

const SLOW_MS = 10_000;

/**
 * Prints below the summary of the run: its CPU time, why tests were skipped if they say so, and the test files that take
 * longer than 10 seconds.
 */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter from the default export of its file.
export default class RunReporter implements Reporter {
  readonly #cpuTime = runCpuTime();

  onTestModuleEnd(): void {
    this.#cpuTime.sample();
  }

  onTestRunEnd(testModules: readonly TestModule[]): void {
    const seconds = this.#cpuTime.seconds();
    if (seconds !== null) console.log(`CPU time: ${seconds.toFixed(0)} s`);
    for (const line of skipNotes(testModules)) console.log(line);
    const slow = testModules
      .map((file) => ({ file: file.relativeModuleId, milliseconds: file.diagnostic().duration }))
      .filter(({ milliseconds }) => milliseconds > SLOW_MS)
      .sort((a, b) => b.milliseconds - a.milliseconds);
    if (slow.length === 0) return;
    const lines = slow.map(({ file, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(8)} s  ${file}`);
    console.log(`Files over 10 s:\n${lines.join("\n")}`);
  }
}

function skipNotes(testModules: readonly TestModule[]): readonly string[] {
  return testModules.flatMap((file) =>
    [...file.children.allTests("skipped")].flatMap((test) => {
      const result = test.result();
      return result.state === "skipped" && result.note !== undefined ? [`Skipped "${test.name}": ${result.note}`] : [];
    }),
  );
}
