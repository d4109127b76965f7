import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A grant of the template that is taken away. */
export interface RemovedGrant {
  readonly functionId: string;
  readonly action: string;
  /** A part of the resource, as the template writes it in JSON. */
  readonly resource: string;
  /** Takes away this value of the statement's conditions instead of the action. */
  readonly conditionValue?: string;
}

interface Statement {
  Action: string | string[];
  Resource: unknown;
  readonly Condition?: Readonly<Record<string, Record<string, string[] | string>>>;
}

interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>
  >;
}

/** Writes an assembly into `folder` that lacks the grants. Throws for one that the assembly does not have. */
export function removeGrants(assembly: string, folder: string, grants: readonly RemovedGrant[]): string {
  const missing = new Set(grants);
  for (const name of readdirSync(assembly)) {
    const [from, to] = [join(assembly, name), join(folder, name)];
    if (name.startsWith("asset.")) symlinkSync(from, to);
    else cpSync(from, to, { recursive: true });
    if (!name.endsWith(".template.json")) continue;
    const template = JSON.parse(readFileSync(from, "utf8")) as Template;
    for (const grant of grants) if (removeGrant(template, grant)) missing.delete(grant);
    writeFileSync(to, JSON.stringify(template));
  }
  if (missing.size > 0) throw new Error(`The template does not have ${JSON.stringify([...missing])}.`);
  return folder;
}

function removeGrant({ Resources }: Template, grant: RemovedGrant): boolean {
  const role = new RegExp(`^${grant.functionId}Role[0-9A-F]{8}$`);
  const policies = Object.values(Resources).filter(
    ({ Type, Properties = {} }) =>
      Type === "AWS::IAM::Policy" && (Properties.Roles as { Ref: string }[]).some(({ Ref }) => role.test(Ref)),
  );
  const statements = policies.flatMap(
    ({ Properties = {} }) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement,
  );
  return statements.map((statement) => removeFrom(statement, grant)).some(Boolean);
}

/** A statement that loses its last action, resource or value allows nothing. */
function removeFrom(statement: Statement, { action, resource, conditionValue }: RemovedGrant): boolean {
  const actions = [statement.Action].flat();
  const resources = [statement.Resource].flat();
  const named = resources.filter((each) => JSON.stringify(each).includes(resource));
  if (!actions.includes(action) || named.length === 0) return false;
  if (conditionValue !== undefined) {
    const lists = Object.values(statement.Condition ?? {}).flatMap((keys) =>
      Object.entries(keys).flatMap(([key, list]) => (list.includes(conditionValue) ? [[keys, key] as const] : [])),
    );
    for (const [keys, key] of lists) keys[key] = [keys[key] ?? []].flat().filter((value) => value !== conditionValue);
    return lists.length > 0;
  }
  if (actions.length > 1) statement.Action = actions.filter((each) => each !== action);
  else statement.Resource = resources.filter((each) => !named.includes(each));
  return true;
}
