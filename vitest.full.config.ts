import { testConfig } from "./test/support/vitest-projects.ts";

/** Everything that `npm test` runs, whole instead of sampled, and what takes longer. */
export default testConfig({ full: true });
