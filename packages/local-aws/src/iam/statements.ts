import type { FunctionDeclaration } from "../lambda/functions.ts";
import { physicalName } from "../provision/provision-context.ts";
import { LocalRefusal } from "../support/local-refusal.ts";
import { ACCOUNT, type Resolver, ResourceNotCreated } from "../template/intrinsics.ts";
import { type Assembly, describeResource, listResources, type StackResource } from "../template/template.ts";
import type { Condition } from "./conditions.ts";

/** A resource of a statement. */
export interface StatementResource {
  /** The ARN, with wildcards. */
  readonly arn: string;
  /** The same with the ids of the template in place of ARNs: `SingleTable/index/GS1`. The same in each data folder. */
  readonly label: string;
}

/** A statement of a policy, resolved. */
export interface Statement {
  readonly sid: string;
  readonly effect: "Allow" | "Deny";
  readonly actions: readonly string[];
  readonly resources: readonly StatementResource[];
  readonly condition: Condition;
}

/** The role of a function. */
export interface Role {
  /** As AWS names the caller: `arn:aws:sts::…:assumed-role/<role>/<function>`. */
  readonly callerArn: string;
  readonly statements: readonly Statement[];
}

interface PolicyStatement {
  readonly Sid?: string;
  readonly Effect: "Allow" | "Deny";
  readonly Action?: string | readonly string[];
  readonly Resource?: unknown;
  readonly Condition?: unknown;
  readonly [name: string]: unknown;
}

interface RoleProperties {
  readonly Policies?: readonly { readonly PolicyDocument: PolicyDocument }[];
  readonly ManagedPolicyArns?: readonly unknown[];
  readonly PermissionsBoundary?: unknown;
}

interface PolicyDocument {
  readonly Statement: PolicyStatement | readonly PolicyStatement[];
}

const STATEMENT_PARTS = ["Sid", "Effect", "Action", "Resource", "Condition"];
const POLICY_TYPES = ["AWS::IAM::Policy", "AWS::IAM::RolePolicy", "AWS::IAM::ManagedPolicy"];

/**
 * Reads the role of a function, with the statements of its own policies and of those that the template attaches to it.
 * The resources of the template must exist.
 * @throws LocalRefusal for what cannot be evaluated here: a policy of AWS, a boundary, NotAction and the like
 */
export function readRole(assembly: Assembly, resolver: Resolver, { stackResource, name }: FunctionDeclaration): Role {
  const roleId = referencedId(stackResource.resource.Properties?.Role);
  const role = listResources(assembly).find(({ stack, id }) => stack === stackResource.stack && id === roleId);
  if (role === undefined)
    throw new LocalRefusal(
      `${describeResource(stackResource)} has no role of its template, so its access is not known.`,
    );
  const properties = (role.resource.Properties ?? {}) as RoleProperties;
  if ((properties.ManagedPolicyArns ?? []).length > 0 || properties.PermissionsBoundary !== undefined)
    throw new LocalRefusal(
      `${describeResource(role)} has policies that are not in the template. Write their statements into a policy of it.`,
    );
  const documents = [
    ...(properties.Policies ?? []).map(({ PolicyDocument }) => PolicyDocument),
    ...attachedPolicies(assembly, role),
  ];
  const statements = documents.flatMap(({ Statement }) => [Statement].flat() as PolicyStatement[]);
  return {
    callerArn: `arn:aws:sts::${ACCOUNT}:assumed-role/${physicalName(role)}/${name}`,
    statements: statements.map((statement) => readStatement(statement, role, resolver)),
  };
}

/** The id of `{ "Ref": id }` or `{ "Fn::GetAtt": [id, name] }`. */
function referencedId(value: unknown): string | undefined {
  const { Ref, "Fn::GetAtt": attribute } = (value ?? {}) as { Ref?: string; "Fn::GetAtt"?: readonly string[] };
  return Ref ?? attribute?.[0];
}

function attachedPolicies(assembly: Assembly, role: StackResource): PolicyDocument[] {
  return listResources(assembly)
    .filter(({ stack, resource }) => stack === role.stack && POLICY_TYPES.includes(resource.Type))
    .map(
      ({ resource }) =>
        (resource.Properties ?? {}) as { Roles?: unknown[]; RoleName?: unknown; PolicyDocument: PolicyDocument },
    )
    .filter(({ Roles = [], RoleName }) => [...Roles, RoleName].some((each) => referencedId(each) === role.id))
    .map(({ PolicyDocument }) => PolicyDocument);
}

function readStatement(statement: PolicyStatement, role: StackResource, resolver: Resolver): Statement {
  const unsupported = Object.keys(statement).find((part) => !STATEMENT_PARTS.includes(part));
  if (unsupported !== undefined)
    throw new LocalRefusal(
      `The local stack does not evaluate ${unsupported} in a policy of ${describeResource(role)}.`,
    );
  return {
    sid: statement.Sid ?? "",
    effect: statement.Effect,
    actions: [statement.Action ?? []].flat(),
    resources: [statement.Resource ?? []].flat().map((resource) => readResource(resource, role.stack, resolver)),
    condition: (resolver.resolve(role.stack, statement.Condition ?? {}) ?? {}) as Condition,
  };
}

function readResource(resource: unknown, stack: string, resolver: Resolver): StatementResource {
  try {
    const arn = resolver.text(stack, resource);
    return { arn, label: toLabel(arn, resolver) };
  } catch (error) {
    // Such as a log group: nothing here has its ARN, so no request needs it.
    if (!(error instanceof ResourceNotCreated)) throw error;
    const id = referencedId(resource);
    if (id === undefined) throw error;
    return { arn: `not created: ${id}`, label: withoutHash(id) };
  }
}

/** An ARN with the ids of the template in place of the ARNs of its resources, which are random for some. */
export function toLabel(arn: string, resolver: Resolver): string {
  const [id, resourceArn] = resolver
    .arns()
    .filter(([, each]) => arn === each || arn.startsWith(`${each}/`))
    .reduce((longest, each) => (each[1].length > longest[1].length ? each : longest), ["", ""]);
  return id === "" ? arn : withoutHash(id) + arn.slice(resourceArn.length);
}

function withoutHash(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, "");
}
