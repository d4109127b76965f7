import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { LocalRefusal } from "../support/local-refusal.ts";

/** A CloudFormation resource with its intrinsic functions unresolved. */
export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Condition?: string;
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<Record<string, { Value: unknown; Export?: { Name: unknown }; Condition?: string }>>;
  readonly Parameters?: Readonly<Record<string, { Type?: string; Default?: unknown }>>;
  readonly Mappings?: Readonly<Record<string, Record<string, Record<string, unknown>>>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
}

/** One stack of a cloud assembly. */
export interface StackTemplate {
  readonly name: string;
  readonly template: Template;
}

/** A cloud assembly as `cdk synth` writes it: the stacks, and the folder with the bundles of their functions. */
export interface Assembly {
  readonly folder: string;
  readonly stacks: readonly StackTemplate[];
}

/** A resource with its stack and logical id. */
export interface StackResource {
  readonly stack: string;
  readonly id: string;
  readonly resource: Resource;
}

const SUFFIX = ".template.json";

/** Reads every `<stack>.template.json` of a cloud assembly. Throws a LocalRefusal if there is none. */
export function readAssembly(folder: string): Assembly {
  const path = resolve(folder);
  const files = existsSync(path) ? readdirSync(path).filter((file) => file.endsWith(SUFFIX)) : [];
  if (files.length === 0) throw new LocalRefusal(`There is no template in ${path}: run the synthesis first.`);
  const stacks = files
    .sort()
    .map((file) => ({ name: file.slice(0, -SUFFIX.length), template: readTemplate(join(path, file)) }));
  return { folder: path, stacks };
}

function readTemplate(file: string): Template {
  const template = JSON.parse(readFileSync(file, "utf8")) as Partial<Template>;
  if (!template.Resources) throw new LocalRefusal(`${file} holds no Resources: it is not a template.`);
  return template as Template;
}

/** All resources of all stacks, in template order. */
export function listResources(assembly: Assembly): StackResource[] {
  return assembly.stacks.flatMap(({ name, template }) =>
    Object.entries(template.Resources).map(([id, resource]) => ({ stack: name, id, resource })),
  );
}

/** The name of a resource in messages: `Data/Inbound1A2B3C4D (AWS::SQS::Queue)`. */
export function describeResource({ stack, id, resource }: StackResource): string {
  return `${stack}/${id} (${resource.Type})`;
}
