import { describe, expect, test } from "vitest";
import { type FunctionName, functions, table as names } from "../../shared/config/names.ts";
import { actionsOf, ofType, type Statement, statementsOf, templates } from "./synthesized.ts";

const { data, service } = templates();

const doing = (name: FunctionName, action: string): Statement[] =>
  statementsOf(service, name).filter(({ Action }) => [Action].flat().includes(action));
const resourcesOf = (name: FunctionName, action: string) => doing(name, action).flatMap(({ Resource }) => Resource);
const readBy = (action: string) => functions.filter((name) => actionsOf(service, name).includes(action));

test("every function does what its work needs and nothing more", () => {
  const queueReader = [
    "ChangeMessageVisibility",
    "DeleteMessage",
    "GetQueueAttributes",
    "GetQueueUrl",
    "ReceiveMessage",
  ];
  const logs = ["logs:CreateLogStream", "logs:PutLogEvents"];
  const table = (...names: string[]) => names.map((name) => `dynamodb:${name}`);
  const reader = queueReader.map((name) => `sqs:${name}`);
  const send = "sqs:SendMessage";
  const everyRead = ["BatchGetItem", "GetItem", "Query"];
  const everyWrite = ["PutItem", "UpdateItem"];
  const everyDelete = ["DeleteItem", "BatchWriteItem"];
  const bucket = ["s3:DeleteObject", "s3:GetObject", "s3:ListBucket", "s3:PutObject"];
  const expected: Record<FunctionName, string[]> = {
    Api: [
      ...table(...everyRead, ...everyWrite, ...everyDelete),
      ...logs,
      send,
      "kms:Decrypt",
      "kms:Encrypt",
      "secretsmanager:GetSecretValue",
    ],
    Intake: [...logs, send, "s3:PutObject", "secretsmanager:GetSecretValue"],
    Ingest: [...table(...everyRead, "DeleteItem", ...everyWrite), ...logs, ...reader, send, ...bucket],
    Deliver: [...table(...everyRead, ...everyWrite), ...logs, ...reader, send, "kms:Decrypt"],
    Profile: [...table("GetItem", "UpdateItem"), ...logs, ...reader, "kms:Decrypt"],
    Erase: [...table(...everyRead, ...everyWrite, ...everyDelete), ...logs, ...reader, send],
    Sweep: [...table("GetItem", "Query", "UpdateItem"), ...logs, send],
    DeadLetters: [...table(...everyWrite), ...logs, ...reader],
  };
  for (const name of functions) expect([name, actionsOf(service, name)]).toEqual([name, expected[name].sort()]);
});

test.each(functions)("%s is allowed nothing on everything, and no action by a star", (name) => {
  const statements = statementsOf(service, name);
  expect(statements.length).toBeGreaterThan(0);
  for (const { Effect, Action, Resource } of statements) {
    expect(Effect).toBe("Allow");
    expect([Action].flat().filter((action) => action.includes("*"))).toEqual([]);
    expect([Resource].flat()).not.toContain("*");
  }
});

test("Intake, which strangers reach, cannot touch the table or the key", () => {
  expect(actionsOf(service, "Intake", "dynamodb:")).toEqual([]);
  expect(actionsOf(service, "Intake", "kms:")).toEqual([]);
});

test("nobody can scan the table, and few can delete from it", () => {
  for (const action of ["Scan", "DeleteTable"]) {
    expect(readBy(`dynamodb:${action}`)).toEqual([]);
  }
  expect(readBy("dynamodb:DeleteItem")).toEqual(["Api", "Ingest", "Erase"]);
  expect(readBy("dynamodb:BatchWriteItem")).toEqual(["Api", "Erase"]);
});

test("only Api, which answers lists, and Ingest, which finds messages by id, may query an index", () => {
  const queried = (name: FunctionName) =>
    Object.values(names)
      .flatMap((each) => (typeof each === "object" ? each.name : []))
      .filter((index) => JSON.stringify(resourcesOf(name, "dynamodb:Query")).includes(`/index/${index}"`));
  expect(Object.fromEntries(functions.map((name) => [name, queried(name)]))).toEqual({
    Api: [names.feedIndex.name, names.idIndex.name],
    Intake: [],
    Ingest: [names.idIndex.name],
    Deliver: [],
    Profile: [],
    Erase: [],
    Sweep: [],
    DeadLetters: [],
  });
});

describe("the token key", () => {
  test("only Api seals, only Api, Deliver and Profile open", () => {
    expect(readBy("kms:Encrypt")).toEqual(["Api"]);
    expect(readBy("kms:Decrypt")).toEqual(["Api", "Deliver", "Profile"]);
  });

  test("is theirs in Parley's encryption context alone", () => {
    const statements = [
      ...doing("Api", "kms:Encrypt"),
      ...doing("Api", "kms:Decrypt"),
      ...doing("Deliver", "kms:Decrypt"),
      ...doing("Profile", "kms:Decrypt"),
    ];
    expect(statements).toHaveLength(4);
    for (const { Action, Condition } of statements) {
      expect([Action].flat()).toHaveLength(1);
      expect(Condition).toEqual({ StringEquals: { "kms:EncryptionContext:app": "parley" } });
    }
  });
});

describe("the secrets", () => {
  const read = (name: FunctionName) => JSON.stringify(resourcesOf(name, "secretsmanager:GetSecretValue"));

  test("Api reads the root secret, Intake the platforms', and nobody else any", () => {
    expect(readBy("secretsmanager:GetSecretValue")).toEqual(["Api", "Intake"]);
    expect(read("Api")).toContain("RootSecret");
    expect(read("Api")).not.toContain("PlatformSecrets");
    expect(read("Intake")).toContain("PlatformSecrets");
    expect(read("Intake")).not.toContain("RootSecret");
  });
});

describe("the bucket", () => {
  const paths = (name: FunctionName, action: string) =>
    resourcesOf(name, action).map((arn) => {
      const [, parts] = (arn as { "Fn::Join": [string, unknown[]] })["Fn::Join"];
      return parts.at(-1);
    });

  test("Intake leaves large bodies under inbound/, Ingest takes them away and keeps copies under raw/", () => {
    expect(paths("Intake", "s3:PutObject")).toEqual(["/inbound/*"]);
    expect(paths("Ingest", "s3:GetObject")).toEqual(["/inbound/*"]);
    expect(paths("Ingest", "s3:DeleteObject")).toEqual(["/inbound/*"]);
    expect(paths("Ingest", "s3:PutObject")).toEqual(["/raw/*"]);
  });
});

test("each function sends to its own queues only", () => {
  const sends = (name: FunctionName) =>
    resourcesOf(name, "sqs:SendMessage")
      .map((arn) => (arn as { "Fn::GetAtt": [string, string] })["Fn::GetAtt"][0].replace(/Queue[0-9A-F]{8}$/, ""))
      .sort();
  expect(Object.fromEntries(functions.map((name) => [name, sends(name)]))).toEqual({
    Api: ["Deliveries", "Erasures", "Events"],
    Intake: ["Inbound"],
    Ingest: ["Events", "Profiles"],
    Deliver: ["Deliveries", "Events"],
    Profile: [],
    Erase: ["Erasures"],
    Sweep: ["Deliveries"],
    DeadLetters: [],
  });
});

test("there are no roles or policies but those of the functions", () => {
  expect(ofType(service, "AWS::IAM::Role")).toHaveLength(functions.length);
  expect(ofType(service, "AWS::IAM::Policy")).toHaveLength(functions.length);
  expect(ofType(data, "AWS::IAM::Role")).toEqual([]);
  expect(ofType(data, "AWS::IAM::Policy")).toEqual([]);
});
