import { expect, it } from "vitest";
import { queues } from "#base/config/names.ts";
import {
  resolveReference,
  resourcesOfType,
  type Statement,
  synthesizeTemplates,
  type Template,
} from "../synth-templates.ts";

// The managed policy for people and pipelines that run the commands.

/** Of a managed policy, without spaces. */
const POLICY_CHARS_MAX = 6_144;
/** Names that CloudFormation makes are not longer, and those of existing resources are replaced with as many characters. */
const NAME_CHARS_MAX = 80;

function policyOf(template: Template): { readonly id: string; readonly statements: readonly Statement[] } {
  const policies = resourcesOfType(template, "AWS::IAM::ManagedPolicy");
  expect(policies).toHaveLength(1);
  const [id, { Properties }] = policies[0] as (typeof policies)[number];
  return { id, statements: (Properties.PolicyDocument as { Statement: Statement[] }).Statement };
}

/** The ARNs as long as they can become. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== "object" || value === null) return value;
  const [[name, argument] = ["", null], ...more] = Object.entries(value);
  if (more.length > 0 || !/^(Ref$|Fn::)/.test(name)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each)]));
  }
  if (name === "Fn::Join") return (argument[1] as unknown[]).map(resolved).join(argument[0]);
  if (name === "Ref")
    return (
      { "AWS::Partition": "aws-us-gov", "AWS::Region": "ap-southeast-3", "AWS::AccountId": "123456789012" }[
        argument as string
      ] ?? "x".repeat(NAME_CHARS_MAX)
    );
  return `arn:aws-us-gov:sqs:ap-southeast-3:123456789012:${"x".repeat(NAME_CHARS_MAX)}`;
}

const existing = {
  "parley:existingTable": "ParleyCopy",
  "parley:existingKey": "1234abcd-12ab-34cd-56ef-1234567890ab",
  "parley:existingRawBucket": "left-raw",
  "parley:existingUploadBucket": "left-uploads",
  "parley:existingJournalBucket": "left-journal",
};
const { service } = synthesizeTemplates();
const actionsOf = (statements: readonly Statement[]) => new Set(statements.flatMap(({ Action }) => Action));

it("the service stack has one policy for operators, which it names in an output and attaches to no one", () => {
  const { id } = policyOf(service);
  expect(resolveReference(service.Outputs.OperatorPolicyArn?.Value)).toBe(id);
  const { Roles, Users, Groups, ManagedPolicyName } = service.Resources[id]?.Properties ?? {};
  expect([Roles, Users, Groups, ManagedPolicyName]).toEqual([undefined, undefined, undefined, undefined]);
});

it.each([
  ["the default settings", {}],
  ["one dead letter queue", { "parley:size": "small" }],
  [
    "existing resources and a topic",
    { ...existing, "parley:alarmTopicArn": "arn:aws:sns:eu-central-1:123456789012:alarms" },
  ],
])("the policy of %s fits into a managed policy of IAM, with the longest names", (_, context) => {
  const { statements } = policyOf(synthesizeTemplates(context).service);
  const text = JSON.stringify(resolved({ Version: "2012-10-17", Statement: statements }));
  expect(text).not.toContain("Fn::");
  expect(text.length).toBeGreaterThan(2_000);
  expect(text.length).toBeLessThanOrEqual(POLICY_CHARS_MAX);
});

it("the policy reads no file of a person, no raw webhook and no queue, and changes no resource", () => {
  const { statements } = policyOf(service);
  const actions = [...actionsOf(statements)];
  expect(actions.filter((action) => action.includes("*"))).toEqual([]);
  const harmful =
    /^(sqs:(Receive|Delete|Purge|Set)|s3:(Put|Delete)Bucket|dynamodb:(Create|Delete|Update)Table|kms:(Create|Disable|Put|Schedule)|iam:|lambda:(Invoke|Update)|ses:Send)/;
  expect(actions.filter((action) => harmful.test(action))).toEqual([]);
  const resourcesFor = (action: string) =>
    JSON.stringify(statements.filter(({ Action }) => [Action].flat().includes(action)).map(({ Resource }) => Resource));
  expect(resourcesFor("s3:GetObject")).toContain("JournalBucket");
  for (const action of ["s3:GetObject", "s3:PutObject"]) expect(resourcesFor(action)).not.toMatch(/Upload|Raw/);
  expect(resourcesFor("s3:DeleteObject")).not.toMatch(/Journal|Raw/);
});

it("the policy opens tokens of accounts only, and seals them and the secrets of endpoints", () => {
  const ofKey = policyOf(service).statements.filter(({ Action }) =>
    [Action].flat().some((each) => /crypt$/.test(each)),
  );
  const context = (purpose: string) => ({
    StringEquals: { "kms:EncryptionContext:app": "parley", "kms:EncryptionContext:purpose": [purpose] },
  });
  expect(ofKey.map(({ Action, Condition }) => [Action, Condition])).toEqual([
    [["kms:Decrypt", "kms:Encrypt"], context("account-token")],
    ["kms:Encrypt", context("webhook-secret")],
  ]);
});

it("a right to everything is one that has no resource", () => {
  const everything = policyOf(service).statements.filter(({ Resource }) => Resource === "*");
  expect([...actionsOf(everything)]).toEqual(["lambda:GetAccountSettings", "ses:GetAccount", "sts:GetCallerIdentity"]);
});

it("a redrive may send to each queue, and doctor reads each with its dead letter queue", () => {
  const { statements } = policyOf(service);
  const [sending] = statements.filter(({ Action }) => [Action].flat().includes("sqs:SendMessage"));
  expect(sending?.Resource).toHaveLength(queues.length);
  const read = statements
    .filter(({ Action }) => [Action].flat().includes("sqs:GetQueueAttributes"))
    .flatMap(({ Resource }) => Resource as unknown[]);
  expect(new Set(read.map(resolveReference)).size).toBe(2 * queues.length);
});

it("doctor may read what adopt sets only where a setting names an existing resource, and set nothing", () => {
  const plain = actionsOf(policyOf(service).statements);
  const adopted = actionsOf(policyOf(synthesizeTemplates(existing).service).statements);
  const added = [...adopted].filter((action) => !plain.has(action));
  expect(added).toContain("s3:GetBucketPolicy");
  expect(added).toContain("kms:GetKeyPolicy");
  expect(added.filter((action) => !/^\w+:(Get|Describe|List)/.test(action))).toEqual([]);
});
