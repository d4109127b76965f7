import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dataFolder, localStack as readLocalStack, stackNotRunning } from "#cli/target/local-stack.ts";

type StringMap = Readonly<Record<string, string>>;

/**
 * The files that the running local stack wrote to its data folder.
 * @throws CliError when no stack runs there
 */
export function localStack(): { environment: StringMap; local: StringMap } {
  const local = readLocalStack() as unknown as StringMap;
  try {
    return { environment: JSON.parse(readFileSync(join(dataFolder(), "environment.json"), "utf8")), local };
  } catch {
    throw stackNotRunning();
  }
}
