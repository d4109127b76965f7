// The stages of a deployment. `stages/<name>.json` has the account, the region and the settings of one, so that no
// deployment depends on the flags of a command.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isSettingName, SETTING_PREFIX, SettingError } from "./settings.ts";
import { DEFAULT_STAGE } from "./stack-names.ts";

/** A stage as its file describes it. */
export interface Stage {
  readonly name: string;
  /** 12 digits. Null: the file does not exist, which only the default stage permits. */
  readonly account: string | null;
  /** Null in the same case. */
  readonly region: string | null;
  /** Settings by context key, such as `parley:siteUrl`. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** The account and the region that a command was started for, if it knows them. */
export interface StageTarget {
  readonly account: string | undefined;
  readonly region: string | undefined;
  /** What names them, for messages. */
  readonly accountSource: string;
  readonly regionSource: string;
}

/** Part of the names of stacks, of which CloudFormation allows 128 characters, and of the functions, of which Lambda allows 64. */
const NAME = /^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/;
const ACCOUNT = /^\d{12}$/;
const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/;
const EXAMPLE = "example";

/**
 * Reads the stage of that name from its file in a folder. Without a folder only the default stage exists.
 * @throws SettingError of one line for an invalid name, a missing file and a file that does not fit
 */
export function readStage(folder: string | null, name: unknown): Stage {
  if (typeof name !== "string" || !NAME.test(name)) {
    throw new SettingError(
      `Invalid stage ${JSON.stringify(name)}. Use 1 to 20 lowercase letters, digits and dashes, starting with a letter.`,
    );
  }
  const file = `stages/${name}.json`;
  const text = folder === null ? null : readText(join(folder, `${name}.json`));
  if (text === null) {
    if (name === DEFAULT_STAGE) return { name, account: null, region: null, context: {} };
    const others = listStages(folder).filter((each) => each !== EXAMPLE);
    const hint = others.length === 0 ? "" : ` Stages with a file: ${others.join(", ")}.`;
    throw new SettingError(
      `Unknown stage ${name}: ${file} does not exist. Copy stages/${EXAMPLE}.json to it and fill it in.${hint}`,
    );
  }
  const { account, region, ...settings } = parseObject(text, file);
  if (typeof account !== "string" || !ACCOUNT.test(account)) {
    throw new SettingError(`Invalid account in ${file}. Set it to the 12 digits of an AWS account, as text.`);
  }
  if (typeof region !== "string" || !REGION.test(region)) {
    throw new SettingError(`Invalid region in ${file}. Set it to an AWS region such as eu-central-1.`);
  }
  const unknown = Object.keys(settings).filter((key) => !isSettingName(key));
  if (unknown.length > 0) {
    throw new SettingError(
      `Unknown setting ${unknown.join(", ")} in ${file}. Use the names of docs/operate/settings.md without ${SETTING_PREFIX}.`,
    );
  }
  const context = Object.fromEntries(Object.entries(settings).map(([key, value]) => [SETTING_PREFIX + key, value]));
  return { name, account, region, context };
}

/**
 * Compares the account and the region of a stage with those of a command.
 * @throws SettingError of one line where they differ
 */
export function requireStageTarget(stage: Stage, target: StageTarget): void {
  const file = `stages/${stage.name}.json`;
  if (stage.account !== null && target.account && target.account !== stage.account) {
    throw new SettingError(
      `Stage ${stage.name} is in account ${stage.account}, but ${target.accountSource} is ${target.account}. Use credentials of ${stage.account}, or correct ${file}.`,
    );
  }
  if (stage.region !== null && target.region && target.region !== stage.region) {
    throw new SettingError(
      `Stage ${stage.name} is in region ${stage.region}, but ${target.regionSource} is ${target.region}. Set AWS_REGION=${stage.region}, or correct ${file}.`,
    );
  }
}

function listStages(folder: string | null): string[] {
  if (folder === null) return [];
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith(".json"))
      .map((file) => file.slice(0, -".json".length))
      .sort();
  } catch {
    return [];
  }
}

/** Null when the file does not exist. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function parseObject(text: string, file: string): Record<string, unknown> {
  const value = tryParse(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new SettingError(`${file} is not a JSON object. Compare it with stages/${EXAMPLE}.json.`);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
