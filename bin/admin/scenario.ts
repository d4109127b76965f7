import { readFileSync } from "node:fs";
import { parseAccountKey } from "#features/accounts/rules/accounts.ts";
import type { LocalJson } from "../../local/stack/local-json.ts";
import type { Arguments, CommandOutput } from "./arguments.ts";
import { CliError } from "./cli-error.ts";
import { accountConnection, findAccount } from "./conversation-commands.ts";
import { callControlRoute } from "./local-api.ts";
import { localStack } from "./local-stack.ts";

interface ScenarioAnswer {
  readonly scenario: string;
  readonly state: string;
  readonly account: string;
  readonly person: string;
  readonly steps: readonly { readonly do: string; readonly count: number }[];
  readonly error?: string;
}

/**
 * Runs a scenario of the simulator by its name, or one of a JSON file, and waits for its end.
 * @throws CliError when there is no simulator, and with the simulator's reason when it refuses
 */
export async function runScenario({ positionals, account, person }: Arguments): Promise<CommandOutput> {
  const local = localStack().local as unknown as LocalJson;
  if (!local.simulator_url)
    throw new CliError("The local stack has no simulator. Start it without PARLEY_PLATFORM_URLS.");
  const source = positionals[1];
  const target = account === undefined ? {} : await simulatedAccount(account);
  const body = { ...readSource(source), ...target, ...(person ? { person } : {}) };
  const response = await callControlRoute(`${local.simulator_url}/_sim/scenarios`, body);
  const answer = (await response.json()) as ScenarioAnswer;
  if (answer.error !== undefined) throw new CliError(`The simulator refused the scenario: ${answer.error}`);
  const steps = answer.steps.map(({ do: name, count }) => (count === 1 ? name : `${name} × ${count}`));
  return {
    scenario: answer.scenario,
    state: answer.state,
    account: answer.account,
    person: answer.person,
    steps: steps.join(", "),
  };
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

async function simulatedAccount(handle: string): Promise<object> {
  const listedAccount = await findAccount(handle);
  const ref = parseAccountKey(listedAccount.account_key);
  if (!ref) throw new CliError(`Unknown account ${handle}.`);
  return { account: ref.externalId, connection: accountConnection(listedAccount) };
}
