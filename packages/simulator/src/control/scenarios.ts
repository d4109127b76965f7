import type { Context } from "../calls/context.ts";
import { BadInput, type Fields, optionalString, refuseUnknownFields } from "../http/fields.ts";
import type { Scenario } from "../scenario/model.ts";
import type { Perform, ScenarioTarget, StepResult } from "../scenario/runs.ts";
import { readyScenarios } from "../scenario-files.ts";
import type { Account } from "../world/model.ts";
import { isInstagram } from "../world/platform.ts";
import type { World } from "../world/world.ts";
import { restrict, sendAsAccount, sendPolicy, setSubscription } from "./account-actions.ts";
import { deliverNow, setClock, setDelivery, setFault } from "./conditions.ts";
import { parseScenario } from "./parse-scenario.ts";
import { editPerson } from "./people.ts";
import { handlePersonAction } from "./person-sends.ts";
import { requireAccount } from "./targets.ts";
import { changeTokens } from "./tokens.ts";

/** What each step of a scenario does: the control route of its name. */
const performers: Record<Parameters<Perform>[0], (context: Context, fields: Fields) => unknown> = {
  "person-sends": handlePersonAction,
  "account-sends": sendAsAccount,
  people: editPerson,
  policy: sendPolicy,
  tokens: changeTokens,
  restrictions: restrict,
  subscriptions: setSubscription,
  faults: setFault,
  delivery: setDelivery,
  "deliver-now": deliverNow,
  clock: setClock,
};

/** `GET /scenarios`: the scenarios of the package, as JSON that `POST /scenarios` accepts, and the newest run. */
export async function listScenarios({ scenarios }: Context): Promise<unknown> {
  const ready = [...(await readyScenarios())].map(([name, scenario]) => ({ name, ...toJson(scenario) }));
  return { scenarios: ready, run: scenarios.status() };
}

/** A scenario as it is written. */
function toJson({ steps, ...rest }: Scenario): object {
  const toStep = ({ do: name, fields, repeat, people, as }: Scenario["steps"][number]): object => ({
    do: name,
    ...fields,
    ...(repeat === 1 ? {} : { repeat }),
    ...(people === 1 ? {} : { people }),
    ...(as === null ? {} : { as }),
  });
  return { ...rest, steps: steps.map(toStep) };
}

/** The answer of a run. */
interface ScenarioAnswer extends ScenarioTarget {
  scenario: string;
  state: "completed" | "stopped";
  steps: StepResult[];
}

/**
 * Runs a scenario and answers when it has ended. Fields: `name` of one of the package, or `scenario`; `account?,
 * connection?, person?`. Without an account it acts on the first connected one of its platform.
 */
export async function runScenario(context: Context, fields: Fields): Promise<ScenarioAnswer> {
  refuseUnknownFields(fields, ["name", "scenario", "account", "connection", "person"]);
  const { name, scenario } = await readScenario(fields);
  const account = selectAccount(context.world, scenario, fields);
  const person = optionalString(fields, "person") || scenario.person;
  const target = { account: account.externalId, connection: account.connection, person };
  const steps = await context.scenarios.run({ name, scenario, target }, async (step, stepFields) =>
    performers[step](context, stepFields),
  );
  const state = context.scenarios.status()?.state === "stopped" ? "stopped" : "completed";
  return { scenario: name, state, ...target, steps };
}

async function readScenario(fields: Fields): Promise<{ name: string; scenario: Scenario }> {
  const name = optionalString(fields, "name");
  if (fields.scenario !== undefined && name !== undefined) throw new BadInput("set one of name and scenario, not both");
  if (fields.scenario !== undefined) {
    const scenario = parseScenario(fields.scenario);
    return { name: scenario.title, scenario };
  }
  const ready = await readyScenarios();
  const scenario = ready.get(name ?? "");
  if (name === undefined || scenario === undefined)
    throw new BadInput(`name must be one of ${[...ready.keys()].join(", ")}, or set scenario to one of your own`);
  return { name, scenario };
}

/** The account of the fields, or the first connected one of the scenario's platform. */
function selectAccount(world: World, { platform }: Scenario, fields: Fields): Account {
  const isOfPlatform = (account: Account): boolean =>
    platform === "any" || isInstagram(account) === (platform === "instagram");
  if (fields.account !== undefined && fields.account !== null) {
    const account = requireAccount(world, fields);
    if (isOfPlatform(account)) return account;
    throw new BadInput(`the scenario is for ${platform}: choose an account there, or none`);
  }
  const { accounts, subscriptions } = world.state;
  const ofPlatform = accounts.filter(isOfPlatform);
  const isConnected = ({ pageId, externalId }: Account): boolean => subscriptions[pageId ?? externalId] !== undefined;
  const account = ofPlatform.find(isConnected) ?? ofPlatform[0];
  if (account === undefined) throw new BadInput(`there is no account on ${platform}: add one with POST /accounts`);
  return account;
}

/** Ends the run that goes on, before its next action. */
export function stopScenario({ scenarios }: Context): { run: unknown } {
  scenarios.stop();
  return { run: scenarios.status() };
}
