import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../cli-error.ts";

/** What a running local stack wrote to `local.json` of its data folder. A field is absent if its part is. */
export interface LocalStack {
  readonly base_url: string;
  readonly control_token: string;
  readonly simulator_url?: string;
  readonly sign_in_url?: string;
  readonly tenant?: string;
  readonly live_key?: string;
}

/** @throws CliError when no stack runs with the data folder */
export function localStack(): LocalStack {
  try {
    return JSON.parse(readFileSync(join(dataFolder(), "local.json"), "utf8")) as LocalStack;
  } catch {
    throw stackNotRunning();
  }
}

/** Also the error for a stack that was killed: its files exist, but it does not respond. */
export function stackNotRunning(): CliError {
  const folder = dataFolder();
  return new CliError(
    `No local stack runs with the data folder ${folder}. Start it with npx parley dev, or npm run local in the repository, or set PARLEY_DATA.`,
  );
}

/** The data folder of the local stack, which PARLEY_DATA names. */
export function dataFolder(): string {
  return process.env.PARLEY_DATA || ".parley";
}
