import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { TOKEN_FORMAT } from "../../../loopback/src/control-token.ts";
import { withoutEndSlashes } from "../../../loopback/src/urls.ts";
import { readyScenarios } from "../scenario-files.ts";
import { SettingsError } from "../settings.ts";
import { callControl, type RunningSimulator } from "./client.ts";

const flags = {
  url: { type: "string" },
  account: { type: "string" },
  connection: { type: "string" },
  person: { type: "string" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

export const SCENARIO_HELP = `Run a scenario in a simulator that is running, or list the scenarios.

Usage: parley-simulator scenario <name or file.json> [flags]
       parley-simulator scenarios
  --url <url>          address of the simulator (default: SIM_URL, or else http://127.0.0.1:4100)
  --account <id>       account that it acts on (default: the first connected one of its platform)
  --connection <name>  instagram_login, instagram_page or messenger, if two accounts have the id
  --person <name>      person who writes (default: that of the scenario)
  --json               print the answer as JSON
  --help               show this help

SIM_CONTROL_TOKEN is the control token of the simulator.`;

/** Runs `scenario` or `scenarios` and returns what it prints. Throws a SettingsError that names the fix. */
export async function scenarioCommand(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { values, positionals } = readArguments(args);
  const [command, source, ...others] = positionals;
  if (values.help === true) return SCENARIO_HELP;
  if (command === "scenarios") return listScenarios(values.json === true);
  if (source === undefined || others.length > 0)
    throw new SettingsError(
      "Missing scenario. Run parley-simulator scenario <name>; parley-simulator scenarios lists them.",
    );
  const { account, connection, person } = values;
  const target = Object.fromEntries(
    Object.entries({ account, connection, person }).filter(([, value]) => value !== undefined),
  );
  const body = { ...(await readSource(source)), ...target };
  const answer = await callControl(readSimulator(values.url, env), "/scenarios", body);
  return values.json === true ? JSON.stringify(answer) : describe(answer);
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags, strict: true, allowPositionals: true });
  } catch (error) {
    throw new SettingsError(`${(error as Error).message}. Run parley-simulator scenario --help.`);
  }
}

function readSimulator(url: string | undefined, env: NodeJS.ProcessEnv): RunningSimulator {
  const token = env.SIM_CONTROL_TOKEN ?? "";
  if (!TOKEN_FORMAT.test(token))
    throw new SettingsError("Missing or invalid SIM_CONTROL_TOKEN. Set it to the control token of the simulator.");
  const address = url ?? (env.SIM_URL || "http://127.0.0.1:4100");
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new SettingsError(
      `Invalid URL ${JSON.stringify(address)}. Set --url or SIM_URL to the address of the simulator.`,
    );
  return { url: withoutEndSlashes(address), token };
}

/** A name of the package's scenarios, or the content of a file. */
async function readSource(source: string): Promise<object> {
  if (!source.endsWith(".json")) return { name: source };
  let text: string;
  try {
    text = await readFile(source, "utf8");
  } catch (error) {
    throw new SettingsError(`Cannot read ${source}: ${(error as Error).message}`);
  }
  try {
    return { scenario: JSON.parse(text) as unknown };
  } catch (error) {
    throw new SettingsError(`${source} is not JSON: ${(error as Error).message}`);
  }
}

async function listScenarios(isJson: boolean): Promise<string> {
  const scenarios = [...(await readyScenarios())].map(([name, scenario]) => ({ name, ...scenario }));
  if (isJson) return JSON.stringify(scenarios.map(({ steps: _, ...rest }) => rest));
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  return scenarios.map(({ name, title }) => `${name.padEnd(width)}  ${title}`).join("\n");
}

interface StepAnswer {
  do: string;
  count: number;
  webhooks?: Record<string, number>;
}

/** One line for the run and one for each step. */
function describe({ scenario, state, account, person, steps }: Record<string, unknown>): string {
  const rows = (steps as StepAnswer[]).map(({ do: name, count, webhooks = {} }) => {
    const statuses = Object.entries(webhooks).map(([status, number]) => `${number} ${status}`);
    return `  ${name}${count === 1 ? "" : ` × ${count}`}${statuses.length === 0 ? "" : `: ${statuses.join(", ")}`}`;
  });
  return [`${scenario}: ${state}, account ${account}, person ${person}`, ...rows].join("\n");
}
