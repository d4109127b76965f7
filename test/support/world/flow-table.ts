import { inject } from "vitest";
import type { Millis } from "#base/kernel/time.ts";
import { startTestTable, type TestTable } from "../dynamodb.ts";
import { openWorldTable } from "./world-table.ts";

/**
 * The table of a test of a flow: in this process, which costs a tenth of a request to the engine. In
 * `npm run test:full`, and where TEST_DYNAMODB names an engine, it is one of the engine.
 */
export function startFlowTable(now: () => Millis): Promise<TestTable> {
  if (inject("fullRun") || process.env.TEST_DYNAMODB) return startTestTable();
  return Promise.resolve(openWorldTable(now));
}
