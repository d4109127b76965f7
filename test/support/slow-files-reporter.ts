import type { Reporter, TestModule } from "vitest/node";

const SLOW_MS = 10_000;

/** Lists the test files that take longer than 10 seconds, the slowest first, below the run's summary. */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter from the default export of its file.
export default class SlowFilesReporter implements Reporter {
  onTestRunEnd(testModules: readonly TestModule[]): void {
    const slow = testModules
      .map((file) => ({ file: file.relativeModuleId, milliseconds: file.diagnostic().duration }))
      .filter(({ milliseconds }) => milliseconds > SLOW_MS)
      .sort((a, b) => b.milliseconds - a.milliseconds);
    if (slow.length === 0) return;
    const lines = slow.map(({ file, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(8)} s  ${file}`);
    console.log(`Files over 10 s:\n${lines.join("\n")}`);
  }
}
