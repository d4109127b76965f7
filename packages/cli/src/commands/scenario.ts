import { readFileSync } from "node:fs";
import { CliError } from "../cli-error.ts";
import { callControlRoute } from "../target/control-routes.ts";
import type { Target } from "../target/target.ts";
import { findAccount, requireSimulator } from "./conversation.ts";

interface ScenarioAnswer {
  readonly scenario: string;
  readonly state: string;
  readonly account: string;
  readonly person: string;
  readonly steps: readonly { readonly do: string; readonly count: number }[];
  readonly error?: string;
}

/** The arguments of the command. `positionals[1]`: the name of a scenario, or a JSON file. */
export interface ScenarioArguments {
  readonly positionals: readonly string[];
  readonly account?: string | undefined;
  readonly person?: string | undefined;
}

/**
 * Runs a scenario of the simulator by its name, or one of a JSON file, and waits for its end.
 * @throws CliError when there is no simulator, and with the simulator's reason when it refuses
 */
export async function scenario(target: Target, { positionals, account, person }: ScenarioArguments) {
  const simulatorUrl = requireSimulator(target, "scenario");
  const accountFields = account === undefined ? {} : await simulatedAccount(target, account);
  const body = { ...readSource(positionals[1]), ...accountFields, ...(person ? { person } : {}) };
  const response = await callControlRoute(`${simulatorUrl}/_sim/scenarios`, body);
  const answer = (await response.json()) as ScenarioAnswer;
  if (answer.error !== undefined) throw new CliError(`The simulator refused the scenario: ${answer.error}`);
  const steps = answer.steps.map(({ do: name, count }) => (count === 1 ? name : `${name} × ${count}`));
  const { scenario: name, state } = answer;
  return { scenario: name, state, account: answer.account, person: answer.person, steps: steps.join(", ") };
}

/** Without a name, the simulator's refusal lists the names. */
function readSource(source: string | undefined): object {
  if (!source?.endsWith(".json")) return source === undefined ? {} : { name: source };
  try {
    return { scenario: JSON.parse(readFileSync(source, "utf8")) as unknown };
  } catch (error) {
    throw new CliError(`Cannot read ${source} as JSON: ${(error as Error).message}`);
  }
}

async function simulatedAccount(target: Target, handle: string): Promise<object> {
  const { external_id: account, connection } = await findAccount(target, handle);
  return { account, connection };
}
