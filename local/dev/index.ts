// The module of the package `@parley/dev`. Its build writes everything else that the stack needs beside it.
import { enableCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs the local stack until the process gets SIGINT or SIGTERM, and then exits the process. Prints each step of the start,
 * and the addresses and keys when the stack is ready. A start that fails prints one line and exits with code 1.
 * @param flags those of `parley dev`, such as `["--port", "9000"]`; `--help` prints all and returns
 */
export async function runLocalStack(flags: readonly string[]): Promise<void> {
  // Before the stack is loaded. Its sandboxes read the variable. The folder is the default of Node.js.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "node-compile-cache");
  enableCompileCache();
  const { start } = await import("./start.ts");
  await start(flags);
}
