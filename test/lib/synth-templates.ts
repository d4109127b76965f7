import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FunctionName } from "#base/config/names.ts";
import { synthesize } from "../../lib/app.ts";
import { DEFAULT_STAGE, stackNames } from "../../lib/config/stack-names.ts";

export interface TemplateResource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: string } }>>;
}
export interface Statement {
  readonly Sid?: string;
  readonly Effect: "Allow" | "Deny";
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/**
 * Both templates without code, synthesized once for each context. `text` is the text of both. A context with
 * `parley:stage` needs the folder of the files of stages.
 */
export function synthesizeTemplates(
  context: Record<string, string> = {},
  stagesFolder?: string,
): {
  data: Template;
  service: Template;
  text: string;
} {
  const key = JSON.stringify([context, stagesFolder, process.env.CDK_CONTEXT_JSON]);
  const texts = textsByContext.get(key) ?? synthesizeTexts(context, stagesFolder);
  textsByContext.set(key, texts);
  const [data = "", service = ""] = texts;
  return { data: JSON.parse(data), service: JSON.parse(service), text: texts.join("\n") };
}

const textsByContext = new Map<string, readonly string[]>();

function synthesizeTexts(context: Record<string, string>, stagesFolder: string | undefined): readonly string[] {
  const outdir = mkdtempSync(join(tmpdir(), "parley-synth-"));
  try {
    const names = stackNames(context["parley:stage"] ?? DEFAULT_STAGE);
    synthesize({ outdir, context, bundle: false, ...(stagesFolder === undefined ? {} : { stagesFolder }) });
    return [names.data, names.service].map((name) => readFileSync(join(outdir, `${name}.template.json`), "utf8"));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** The resources of one type with their ids. */
export function resourcesOfType(template: Template, type: string): (readonly [string, TemplateResource])[] {
  return Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);
}

/** The properties of a resource. Throws if the resource does not exist. */
export function resourceProperties(template: Template, id: string): Record<string, unknown> {
  const resource = template.Resources[id];
  if (!resource) throw new Error(`The template has no ${id}.`);
  return resource.Properties;
}

/** The id that a template value references with Ref or Fn::GetAtt. */
export function resolveReference(value: unknown): string {
  const { Ref, "Fn::GetAtt": attribute } = value as { Ref?: string; "Fn::GetAtt"?: [string, string] };
  const id = Ref ?? attribute?.[0];
  if (id === undefined) throw new Error(`${JSON.stringify(value)} is not a reference.`);
  return id;
}

/** The statements of every policy of a function's role. */
export function policyStatements(service: Template, name: FunctionName): Statement[] {
  const role = resolveReference(resourceProperties(service, name).Role);
  const { ManagedPolicyArns, Policies } = resourceProperties(service, role);
  if (ManagedPolicyArns || Policies) throw new Error(`${role} has policies that this helper does not read.`);
  return resourcesOfType(service, "AWS::IAM::Policy")
    .filter(([, { Properties }]) => (Properties.Roles as unknown[]).some((entry) => resolveReference(entry) === role))
    .flatMap(([, { Properties }]) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement);
}

/** The actions that a function's role allows, of one service or of all. */
export function allowedActions(service: Template, name: FunctionName, prefix = ""): string[] {
  const actions = policyStatements(service, name).flatMap(({ Action }) => Action);
  return [...new Set(actions)].filter((action) => action.startsWith(prefix)).sort();
}
