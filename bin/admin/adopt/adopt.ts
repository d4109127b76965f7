import { openStacks } from "../../../functions/admin/stacks.ts";
import { clientSettings } from "../../../functions/admin/tenant-ports.ts";
import { DEFAULT_STAGE, stackNames } from "../../../lib/config/stack-names.ts";
import { type Arguments, HELP_HINT } from "../arguments.ts";
import { CliError } from "../cli-error.ts";
import { findStage, readSettings, STAGES, type StageSources } from "../stage.ts";
import { printJson, printLine } from "../text/print.ts";
import { type AdoptionClients, existingResources, openAdoptionClients } from "./existing-resources.ts";
import { inspectResources, toProblem } from "./inspection.ts";
import type { ExistingResource, Lack } from "./resource.ts";

export interface AdoptionSources extends StageSources {
  readonly openClients: (settings: ReturnType<typeof clientSettings>) => AdoptionClients;
}

interface Adoption {
  readonly stage: string;
  readonly resources: readonly { readonly resource: ExistingResource; readonly lacks: readonly Lack[] }[];
}

const SOURCES: AdoptionSources = {
  shell: process.env,
  folder: STAGES,
  openStacks,
  openClients: openAdoptionClients,
};

/**
 * Gives the existing resources that the file of a stage names what the template would have given them. With `--check` only
 * prints what they lack.
 * @throws CliError of one line for a resource that does not fit, before anything is changed
 */
export async function adopt(values: Arguments, sources: AdoptionSources = SOURCES): Promise<undefined> {
  const { positionals, json, check: isCheck } = values;
  if (positionals.length > 1) throw new CliError(`Unexpected argument: ${positionals[1]}. ${HELP_HINT}`);
  const { stage, resources } = await inspectStage(values.stage, sources);
  const verb = isCheck ? "lacks" : "set:";
  for (const { resource, lacks } of resources) {
    const name = `${resource.kind} ${resource.name}`;
    for (const lack of lacks) {
      if (!isCheck) await setLack(lack, name);
      if (!json) printLine(`${name}: ${verb} ${lack.name}`);
    }
    if (lacks.length === 0 && !json) printLine(`${name}: lacks nothing`);
  }
  if (json) printJson(toJson({ stage, resources }, isCheck));
  else printLine(isCheck ? "Nothing was changed: this was a check." : nextStep(stage));
}

async function inspectStage(name: string | undefined, sources: AdoptionSources): Promise<Adoption> {
  if (name === undefined) {
    throw new CliError("Missing stage. Add --stage NAME: its file names the existing resources.");
  }
  const { folder, shell } = sources;
  const stage = findStage(name, folder, shell);
  const settings = readSettings(stage);
  const { account, region } = stage;
  const { openStacks: open, openClients } = sources;
  if (account === null || region === null || Object.values(settings.existing).every((each) => each === null)) {
    throw new CliError(
      `Stage ${name} names no existing resource. Set existingTable or others in stages/${name}.json, as docs/operate/adopt.md shows.`,
    );
  }
  const clients = openClients(clientSettings({ ...shell, AWS_REGION: region }));
  const inspections = await inspectResources(existingResources(settings, { account, region }, clients), {
    stacks: open(region),
    dataStack: stackNames(name).data,
  });
  for (const { resource, problem } of inspections) {
    if (problem !== null) {
      throw new CliError(`adopt stopped at ${resource.kind} ${resource.name}: ${problem.text} Nothing was changed.`);
    }
  }
  return { stage: name, resources: inspections };
}

async function setLack({ name, set }: Lack, resource: string): Promise<void> {
  try {
    await set();
  } catch (error) {
    throw new CliError(
      `adopt stopped at ${resource}, ${name}: ${toProblem(error).text} What is set stays: run the command again.`,
    );
  }
}

function nextStep(stage: string): string {
  const flag = stage === DEFAULT_STAGE ? "" : ` -c parley:stage=${stage}`;
  const { service } = stackNames(stage);
  return `Next, deploy: npx cdk deploy ${service} --exclusively${flag} where the stage is deployed already, then npx cdk deploy --all${flag}.`;
}

function toJson({ stage, resources }: Adoption, isCheck: boolean) {
  return {
    stage,
    changed: !isCheck,
    resources: resources.map(({ resource: { setting, name }, lacks }) => ({
      setting,
      name,
      [isCheck ? "lacks" : "set"]: lacks.map((lack) => lack.name),
    })),
  };
}
