import { env } from "#base/config/names.ts";
import { openStacks } from "../../../../functions/admin/stacks.ts";
import { toKeyId } from "../../../../lib/config/existing.ts";
import type { Settings } from "../../../../lib/config/settings.ts";
import { stackNames } from "../../../../lib/config/stack-names.ts";
import { existingResources, openAdoptionClients } from "../../adopt/existing-resources.ts";
import { type Inspection, inspectResources } from "../../adopt/inspection.ts";
import { type DoctorContext, stageContext } from "../context.ts";
import { blocking, ok, skipped, type Verdict, warning, worst } from "../verdict.ts";

/** The existing resources that the stage names: whether they fit, what they lack, and whether the functions use them. */
export async function checkExisting(context: DoctorContext): Promise<Verdict> {
  const { stage, settings, services, tableService } = context;
  if (stage === null || settings === null) return skipped("Only the file of a stage names existing resources.");
  const { account, region } = stage;
  if (account === null || region === null || Object.values(settings.existing).every((name) => name === null)) {
    return ok("The stage names no existing resource.");
  }
  const clients = openAdoptionClients({ services, tableService });
  const inspections = await inspectResources(existingResources(settings, { account, region }, clients), {
    stacks: openStacks(region),
    dataStack: stackNames(stage.name).data,
  });
  const verdicts = [
    ...inspections.map((inspection) => toVerdict(inspection, stage.name)),
    ...checkUse(context, settings),
  ];
  return worst(verdicts, "The existing resources that the stage names fit, and the functions use them.");
}

function toVerdict({ resource, lacks, problem }: Inspection, stage: string): Verdict {
  const name = `${resource.kind} ${resource.name}`;
  const fix = `Run npm run admin -- adopt --stage ${stage}.`;
  if (problem !== null) {
    const finding = `The existing ${name} cannot be used: ${problem.text}`;
    return problem.isMisfit ? blocking(finding, fix) : warning(finding, fix);
  }
  if (lacks.length === 0) return ok("");
  return warning(`The existing ${name} lacks ${lacks.map((lack) => lack.name).join(", ")}.`, fix);
}

/** Between a change of the file and the deployment, commands and functions use what was named before. */
function checkUse(context: DoctorContext, { existing }: Settings): Verdict[] {
  const { environment, stage } = context;
  if (environment === null || stage === null) return [];
  const named = [
    [env.table, existing.table],
    [env.keyId, existing.key === null ? null : toKeyId(existing.key)],
    [env.uploadBucket, existing.uploadBucket],
    [env.journalBucket, existing.journalBucket],
    [env.rootSecretId, existing.rootSecret],
    [env.platformSecretId, existing.platformSecret],
  ] as const;
  const flag = stageContext(context);
  return named.flatMap(([variable, name]) =>
    name === null || environment[variable] === name
      ? []
      : [
          warning(
            `The functions use ${environment[variable]} in place of ${name}.`,
            `Run npx cdk deploy ${stackNames(stage.name).service} --exclusively${flag}, then npx cdk deploy --all${flag}.`,
          ),
        ],
  );
}
