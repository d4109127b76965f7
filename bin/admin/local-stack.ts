import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "./cli-error.ts";

type StringMap = Readonly<Record<string, string>>;

/**
 * The files that the running local stack wrote to its data folder.
 * @throws CliError when no stack runs there
 */
export function localStack(): { environment: StringMap; local: StringMap } {
  const environment = readJson(join(dataFolder(), "environment.json"));
  const local = readJson(join(dataFolder(), "local.json"));
  if (!environment || !local) throw stackNotRunning();
  return { environment, local };
}

/** Also the error for a stack that was killed: its files exist, but it does not respond. */
export function stackNotRunning(): CliError {
  const folder = dataFolder();
  return new CliError(
    `No local stack runs with the data folder ${folder}. Start it with npm run local, or set PARLEY_DATA.`,
  );
}

function dataFolder(): string {
  return process.env.PARLEY_DATA || ".parley";
}

function readJson(path: string): StringMap | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as StringMap;
  } catch {
    return null;
  }
}
