import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Gives the run one compile cache. Workers, local stacks, their sandboxes and admin commands start with the code that
 * an earlier one compiled, which saves a third of the CPU time of a stack.
 */
export function setup(): void {
  if (process.env.NODE_COMPILE_CACHE) return;
  const folder = mkdtempSync(join(tmpdir(), "parley-compile-cache-"));
  process.env.NODE_COMPILE_CACHE = folder;
  // Not at teardown, because the workers write to the folder when they end.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}
