import type { Template, TemplateResource } from "../../synth-templates.ts";

/** A resource that stores something, or whose address others have stored. */
export interface StatefulResource {
  readonly type: string;
  readonly deletionPolicy: string | null;
  readonly updateReplacePolicy: string | null;
  /** All but what only describes the resource. */
  readonly properties: Readonly<Record<string, unknown>>;
}
/** By logical id. */
export type StatefulResources = Readonly<Record<string, StatefulResource>>;

/** Of the service stack. What is in its queues exists nowhere else, and the platforms have the addresses of its APIs. */
const OF_SERVICE = new Set(["AWS::SQS::Queue", "AWS::ApiGatewayV2::Api"]);
const DESCRIPTIONS = new Set(["Description", "Tags"]);

/** Everything of the data stack, and the queues and APIs of the service. */
export function statefulResources({ data, service }: { data: Template; service: Template }): StatefulResources {
  const ofService = Object.entries(service.Resources).filter(([, { Type }]) => OF_SERVICE.has(Type));
  return Object.fromEntries(
    [...Object.entries(data.Resources), ...ofService].map(([id, each]) => [id, toStateful(each)]),
  );
}

function toStateful({ Type, DeletionPolicy, UpdateReplacePolicy, Properties }: TemplateResource): StatefulResource {
  return {
    type: Type,
    deletionPolicy: DeletionPolicy ?? null,
    updateReplacePolicy: UpdateReplacePolicy ?? null,
    properties: Object.fromEntries(Object.entries(Properties).filter(([name]) => !DESCRIPTIONS.has(name))),
  };
}
