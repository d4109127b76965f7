import { localBenchConfig } from "./test/support/vitest-projects.ts";

/** What the local stack takes: times and ratios of this machine, each file when nothing else runs. */
export default localBenchConfig();
