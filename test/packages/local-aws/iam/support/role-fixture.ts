import { join } from "node:path";
import { type AccessControl, openAccess } from "#local-aws/iam/access-control.ts";
import { readFunctions } from "#local-aws/lambda/functions.ts";
import { Resolver } from "#local-aws/template/intrinsics.ts";
import { readAssembly } from "#local-aws/template/template.ts";
import {
  lambdaResource,
  newTempFolder,
  type TemplateResources,
  writeAssembly,
} from "../../../../support/assemblies/assemblies.ts";

export const TABLE_ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/rows";

/** The key of the stack, which tests of the emulators use. */
export const stackKey = { id: "local", secret: "local" };

export interface RoleFixture {
  readonly access: AccessControl;
  /** The key of the function `Work`. */
  readonly key: { readonly id: string; readonly secret: string };
  /** The lines for developers. */
  readonly reports: readonly string[];
  /** The file of records. */
  readonly file: string;
  close(): void;
}

/**
 * The function `Work` with a role of these statements, and the table `rows` with the partition key PK and the index GS1 of
 * the partition key GS1PK. `role` and `policy` add properties and replace them.
 */
export function openRole(
  statements: readonly object[],
  { role = {}, policy = {} }: { readonly role?: object; readonly policy?: object } = {},
): RoleFixture {
  const folder = newTempFolder();
  const resources: TemplateResources = {
    Work: lambdaResource("work", { Role: { "Fn::GetAtt": ["WorkRole", "Arn"] } }),
    WorkRole: { Type: "AWS::IAM::Role", Properties: { ...role } },
    WorkPolicy: {
      Type: "AWS::IAM::Policy",
      Properties: { Roles: [{ Ref: "WorkRole" }], PolicyDocument: { Statement: statements }, ...policy },
    },
    Rows12345678: {
      Type: "AWS::DynamoDB::Table",
      Properties: {
        KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }],
        GlobalSecondaryIndexes: [
          { IndexName: "GS1", KeySchema: [{ AttributeName: "GS1PK", KeyType: "HASH" }], Projection: {} },
        ],
      },
    },
    Log12345678: { Type: "AWS::Logs::LogGroup" },
  };
  const assembly = readAssembly(writeAssembly(folder.path, resources, { work: "" }));
  const resolver = new Resolver(assembly);
  resolver.register("Planted", "Rows12345678", { ref: "rows", attributes: { Arn: TABLE_ARN } });
  const reports: string[] = [];
  const file = join(folder.path, "access.jsonl");
  const access = openAccess({ isStrict: true, accessKey: stackKey, file, report: (line) => reports.push(line) });
  try {
    access.readRoles(assembly, resolver, readFunctions(assembly));
  } catch (error) {
    folder.remove();
    throw error;
  }
  return { access, key: access.keyOf("Work"), reports, file, close: folder.remove };
}

export function allow(action: string | readonly string[], resource: unknown, condition?: object): object {
  return {
    Effect: "Allow",
    Action: action,
    Resource: resource,
    ...(condition === undefined ? {} : { Condition: condition }),
  };
}
