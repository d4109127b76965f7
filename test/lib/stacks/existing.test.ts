import { describe, expect, test } from "vitest";
import { env, functions } from "#base/config/names.ts";
import { policyStatements, resourceProperties, resourcesOfType, synthesizeTemplates } from "../synth-templates.ts";

// Settings that name existing resources, which the data stack then imports.

const ACCOUNT = "123456789012";
const KEY = "1234abcd-12ab-34cd-56ef-1234567890ab";
const secret = (name: string) => `arn:aws:secretsmanager:eu-central-1:${ACCOUNT}:secret:${name}-AbCdEf`;
/** Each with the ids that its resources start with, the exports of its stack's own, and the variable of the functions. */
const named = {
  existingTable: { value: "ParleyCopy", owned: ["SingleTable"], variable: env.table },
  existingKey: { value: KEY, owned: ["TokenKey"], variable: env.keyId },
  existingRawBucket: { value: "left-raw", owned: ["RawBucket"], variable: env.rawBucket },
  existingUploadBucket: { value: "left-uploads", owned: ["UploadBucket"], variable: env.uploadBucket },
  existingJournalBucket: { value: "left-journal", owned: ["JournalBucket"], variable: env.journalBucket },
  existingRootSecret: { value: secret("Root"), owned: ["SecretsRootSecret"], variable: env.rootSecretId },
  existingPlatformSecret: {
    value: secret("Platforms"),
    owned: ["SecretsPlatformSecrets"],
    variable: env.platformSecretId,
  },
} as const;
type Name = keyof typeof named;
const names = Object.keys(named) as readonly Name[];
const contextOf = (...chosen: readonly Name[]) =>
  Object.fromEntries(chosen.map((name) => [`parley:${name}`, named[name].value]));

const own = synthesizeTemplates();
const all = synthesizeTemplates(contextOf(...names));

const exportNames = ({ data }: typeof own) =>
  Object.values(data.Outputs).flatMap(({ Export }) => (Export ? [Export.Name] : []));
const environmentOf = ({ service }: typeof own, name: (typeof functions)[number]) =>
  (resourceProperties(service, name).Environment as { Variables: Readonly<Record<string, unknown>> } | undefined)
    ?.Variables ?? {};

describe.each(names)("with %s alone", (name) => {
  const { value, owned, variable } = named[name];
  const templates = synthesizeTemplates(contextOf(name));
  const isOwned = (id: string) => owned.some((start) => id.startsWith(start));

  test("the data stack creates no resource in its place, and every other one as before", () => {
    const { Resources } = templates.data;
    const rest = Object.fromEntries(Object.entries(own.data.Resources).filter(([id]) => !isOwned(id)));
    expect(Object.keys(own.data.Resources).some(isOwned)).toBe(true);
    expect(Resources).toEqual(rest);
  });

  test("the service stack imports none of its exports, and every function that used it has its name", () => {
    for (const start of owned) expect(templates.text).not.toMatch(new RegExp(`ImportValue": "[^"]*${start}`));
    const users = functions.filter((each) => variable in environmentOf(own, each));
    expect(users.length).toBeGreaterThan(0);
    for (const each of users) expect(environmentOf(templates, each)[variable], each).toBe(value);
  });

  test("the data stack has the same exports, with the name of what exists", () => {
    expect(exportNames(templates).sort()).toEqual(exportNames(own).sort());
    const outputs = Object.entries(templates.data.Outputs).filter(([id]) => /^Exports/.test(id) && isOwnExport(id));
    expect(outputs.length).toBe(/Secret/.test(name) ? 1 : 2);
    for (const [, output] of outputs) expect(JSON.stringify(output.Value)).toContain(value);
  });

  const isOwnExport = (id: string) => owned.some((start) => id.includes(start));
});

test("with every existing resource, the data stack still has a resource, which CloudFormation requires", () => {
  expect(resourcesOfType(all.data, "AWS::CloudFormation::WaitConditionHandle")).toHaveLength(1);
  expect(Object.keys(all.data.Resources)).toHaveLength(1);
  expect(all.text).not.toContain("Fn::ImportValue");
});

test("no function has another permission than with resources of the stack's own, but for their names", () => {
  for (const name of functions) {
    const permissions = ({ service }: typeof own) =>
      policyStatements(service, name).map(({ Resource, ...statement }) => ({
        ...statement,
        resources: [Resource].flat().length,
      }));
    expect(permissions(all), name).toEqual(permissions(own));
  }
});

test("the policies name the existing resources in the account and the region of the stack", () => {
  const arn = (service: string, rest: string) => ({
    "Fn::Join": [
      "",
      ["arn:", { Ref: "AWS::Partition" }, `:${service}:`, { Ref: "AWS::Region" }, ":", { Ref: "AWS::AccountId" }, rest],
    ],
  });
  const resources = policyStatements(all.service, "Api").flatMap(({ Resource }) => Resource);
  expect(resources).toContainEqual(arn("dynamodb", ":table/ParleyCopy"));
  expect(resources).toContainEqual(arn("dynamodb", ":table/ParleyCopy/index/GS1"));
  expect(resources).toContainEqual(arn("kms", `:key/${KEY}`));
  expect(resources).toContainEqual({
    "Fn::Join": ["", ["arn:", { Ref: "AWS::Partition" }, ":s3:::left-journal/acts/*"]],
  });
  expect(resources).toContain(named.existingRootSecret.value);
  const { text } = synthesizeTemplates({ "parley:existingKey": `arn:aws:kms:eu-central-1:${ACCOUNT}:key/${KEY}` });
  expect(text).toContain(`"Resource": "arn:aws:kms:eu-central-1:${ACCOUNT}:key/${KEY}"`);
});

test("the outputs of both stacks name the existing resources, so that commands use what the functions use", () => {
  const expected = {
    TableName: "ParleyCopy",
    KeyId: KEY,
    UploadBucketName: "left-uploads",
    JournalBucketName: "left-journal",
    RootSecretId: named.existingRootSecret.value,
    PlatformSecretId: named.existingPlatformSecret.value,
  };
  for (const [output, value] of Object.entries(expected)) {
    expect(all.data.Outputs[output]?.Value, output).toBe(value);
    expect(all.service.Outputs[output]?.Value, output).toBe(value);
    expect(own.service.Outputs[output], output).toBeUndefined();
  }
});
