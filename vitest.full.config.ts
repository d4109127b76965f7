import { defineConfig } from "vitest/config";

/** What `npm test` runs, and what takes longer. */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/bench/**", "node_modules/**"],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
