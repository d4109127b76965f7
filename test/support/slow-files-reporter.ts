import type { Reporter, TestModule } from "vitest/node";
import { runCpuTime } from "./run/cpu-time.ts";

const SLOW_MS = 10_000;

/** Prints the CPU time of the run below its summary, and the test files that take longer than 10 seconds. */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter from the default export of its file.
export default class SlowFilesReporter implements Reporter {
  readonly #cpuTime = runCpuTime();

  onTestModuleEnd(): void {
    this.#cpuTime.sample();
  }

  onTestRunEnd(testModules: readonly TestModule[]): void {
    const seconds = this.#cpuTime.seconds();
    if (seconds !== null) console.log(`CPU time: ${seconds.toFixed(0)} s`);
    const slow = testModules
      .map((file) => ({ file: file.relativeModuleId, milliseconds: file.diagnostic().duration }))
      .filter(({ milliseconds }) => milliseconds > SLOW_MS)
      .sort((a, b) => b.milliseconds - a.milliseconds);
    if (slow.length === 0) return;
    const lines = slow.map(({ file, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(8)} s  ${file}`);
    console.log(`Files over 10 s:\n${lines.join("\n")}`);
  }
}
