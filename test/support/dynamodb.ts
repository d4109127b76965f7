import { type EngineTable, startTable } from "./engine/engine.ts";
import { tableDefinition } from "./table-definition.ts";

/** A table for one test or one test file, with the keys and indexes of the real one. */
export type TestTable = EngineTable;

/** Creates an empty table without TTL: engines differ in it, and it would empty tables of tests in the past. */
export function startTestTable(): Promise<TestTable> {
  return startTable(tableDefinition());
}
