import { readFileSync } from "node:fs";
import { expect, it, onTestFinished, test } from "vitest";
import type { AccessNeed } from "#local-aws/iam/needs/need.ts";
import { tableNeeds } from "#local-aws/iam/needs/table-needs.ts";
import { allow, openRole, stackKey, TABLE_ARN } from "./support/role-fixture.ts";

const TABLE = { "Fn::GetAtt": ["Rows12345678", "Arn"] };
const INDEX = { "Fn::Join": ["", [TABLE, "/index/GS1"]] };

function open(...statements: object[]) {
  const fixture = openRole(statements);
  onTestFinished(fixture.close);
  const find = (needs: readonly AccessNeed[]) => fixture.access.findDenial(fixture.key.id, needs);
  return {
    ...fixture,
    find,
    /** The action and resource that are denied, or null. */
    call: (operation: string, input: object) => {
      const denial = find(tableNeeds(fixture.access.tables, operation, { TableName: "rows", ...input }));
      return denial && `${denial.need.action} ${denial.need.resource}`;
    },
  };
}

const need = (action: string, resource = TABLE_ARN): AccessNeed => ({ action, resource, context: {} });
const item = (key: string) => ({ PK: { S: key }, SK: { S: "1" } });
const keysLike = (...patterns: string[]) => ({ "ForAllValues:StringLike": { "dynamodb:LeadingKeys": patterns } });

it("a role allows the actions of its statements on their resources, and nothing else", () => {
  const { call } = open(allow(["dynamodb:GetItem", "dynamodb:Query"], TABLE));
  expect(call("GetItem", { Key: item("A") })).toBeNull();
  expect(call("PutItem", { Item: item("A") })).toBe(`dynamodb:PutItem ${TABLE_ARN}`);
  expect(call("Query", { IndexName: "GS1" })).toBe(`dynamodb:Query ${TABLE_ARN}/index/GS1`);
});

it("a statement that denies wins over one that allows", () => {
  const { find } = open(allow("dynamodb:*", TABLE), { ...allow("dynamodb:DeleteItem", "*"), Effect: "Deny" });
  expect(find([need("dynamodb:GetItem")])).toBeNull();
  expect(find([need("dynamodb:DeleteItem")])).toMatchObject({ isExplicit: true });
});

it("a statement that denies under a condition that is not emulated denies always, and says so", () => {
  const condition = { IpAddress: { "aws:SourceIp": "1.2.3.4" } };
  const { find } = open(allow("dynamodb:*", TABLE), { ...allow("dynamodb:*", "*", condition), Effect: "Deny" });
  expect(find([need("dynamodb:GetItem")])).toMatchObject({ reason: "the condition key aws:SourceIp is not emulated" });
});

it("the key of the stack may do everything, and an unknown key is left to the check of signatures", () => {
  const { access } = open();
  expect(access.findDenial(stackKey.id, [need("dynamodb:DeleteTable")])).toBeNull();
  expect([access.isJudged(stackKey.id), access.isJudged("other"), access.isJudged(null)]).toEqual([
    false,
    false,
    false,
  ]);
});

it("a function has the same key after a restart, and another than the stack's", () => {
  const [first, second] = [open(), open()];
  expect(first.key).toEqual(second.key);
  expect(first.key).toEqual({ id: expect.stringMatching(/^LOCAL\w{15}$/), secret: expect.stringMatching(/^\w{40}$/) });
  expect(first.access.accessKeys).toEqual({ local: "local", [first.key.id]: first.key.secret });
});

test.each([
  ["GetItem", { Key: item("A#1") }, { Key: item("B#1") }],
  ["PutItem", { Item: item("A#1") }, { Item: item("B#1") }],
  ["UpdateItem", { Key: item("A#1") }, { Key: item("B#1") }],
  [
    "Query",
    {
      KeyConditionExpression: "begins_with(SK, :sk) AND #pk = :pk",
      ExpressionAttributeNames: { "#pk": "PK" },
      ExpressionAttributeValues: { ":pk": { S: "A#1" }, ":sk": { S: "1" } },
    },
    { KeyConditionExpression: "PK = :pk", ExpressionAttributeValues: { ":pk": { S: "B#1" } } },
  ],
  [
    "Query",
    {
      IndexName: "GS1",
      KeyConditionExpression: "(GS1PK = :p)",
      ExpressionAttributeValues: { ":p": { S: "A#1" } },
    },
    { IndexName: "GS1", KeyConditionExpression: "GS1PK = :p", ExpressionAttributeValues: { ":p": { S: "B#1" } } },
  ],
])("the leading keys of %s are compared", (operation, allowed, denied) => {
  const { call } = open(allow(`dynamodb:${operation}`, [TABLE, INDEX], keysLike("A#*")));
  expect(call(operation, allowed)).toBeNull();
  expect(call(operation, denied)).toMatch(`dynamodb:${operation}`);
});

it("each part of a transaction needs its own action on its own key", () => {
  const { call } = open(
    allow(["dynamodb:PutItem", "dynamodb:ConditionCheckItem"], TABLE, keysLike("A#*")),
    allow("dynamodb:DeleteItem", TABLE, { StringEquals: { "dynamodb:EnclosingOperation": "TransactWriteItems" } }),
  );
  const part = (kind: string, key: string) => ({
    [kind]: { TableName: "rows", ...(kind === "Put" ? { Item: item(key) } : { Key: item(key) }) },
  });
  const transact = (...TransactItems: object[]) => call("TransactWriteItems", { TransactItems });
  expect(transact(part("Put", "A#1"), part("ConditionCheck", "A#2"), part("Delete", "B#1"))).toBeNull();
  expect(transact(part("Put", "A#1"), part("Put", "B#1"))).toBe(`dynamodb:PutItem ${TABLE_ARN}`);
  expect(transact(part("Update", "A#1"))).toBe(`dynamodb:UpdateItem ${TABLE_ARN}`);
  expect(call("DeleteItem", { Key: item("B#1") })).toBe(`dynamodb:DeleteItem ${TABLE_ARN}`);
});

it("a batch needs its own action on the keys of all its items", () => {
  const { call } = open(allow(["dynamodb:BatchWriteItem", "dynamodb:BatchGetItem"], TABLE, keysLike("A#*")));
  const write = (...keys: string[]) =>
    call("BatchWriteItem", {
      RequestItems: {
        rows: keys.map((key) =>
          key.endsWith("0") ? { DeleteRequest: { Key: item(key) } } : { PutRequest: { Item: item(key) } },
        ),
      },
    });
  expect(write("A#0", "A#1")).toBeNull();
  expect(write("A#0", "B#1")).toBe(`dynamodb:BatchWriteItem ${TABLE_ARN}`);
  expect(write("A#1", "B#0")).toBe(`dynamodb:BatchWriteItem ${TABLE_ARN}`);
  expect(call("BatchGetItem", { RequestItems: { rows: { Keys: [item("A#1"), item("B#1")] } } })).toBe(
    `dynamodb:BatchGetItem ${TABLE_ARN}`,
  );
});

it("a query whose partition key cannot be read meets no condition, although an empty set would", () => {
  const { call, find, access } = open(allow("dynamodb:Query", TABLE, keysLike("A#*")));
  expect(call("Query", { KeyConditionExpression: ":pk = PK" })).toBe(`dynamodb:Query ${TABLE_ARN}`);
  const needs = tableNeeds(access.tables, "Query", { TableName: "rows" });
  expect(find(needs)).toMatchObject({ reason: "the partition key of the request cannot be read" });
});

it("each kind of denial is recorded and reported once, with the ids of the template and the unmet condition", () => {
  const { call, file, reports } = open(
    allow("dynamodb:PutItem", TABLE, keysLike("A#*", "B#*")),
    allow("logs:PutLogEvents", { "Fn::GetAtt": ["Log12345678", "Arn"] }),
    allow("dynamodb:Query", INDEX),
  );
  for (const key of ["A#1", "A#2", "C#1", "C#2"]) call("PutItem", { Item: item(key) });
  call("Query", { IndexName: "GS1" });
  call("Scan", {});
  const put = "dynamodb:PutItem Rows if ForAllValues:StringLike dynamodb:LeadingKeys";
  const records = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(records.map((line) => JSON.parse(line))).toEqual([
    { kind: "granted", function: "Work", grant: `${put} A#*` },
    { kind: "granted", function: "Work", grant: `${put} B#*` },
    { kind: "granted", function: "Work", grant: "logs:PutLogEvents Log" },
    { kind: "granted", function: "Work", grant: "dynamodb:Query Rows/index/GS1" },
    { kind: "used", function: "Work", grant: `${put} A#*` },
    {
      kind: "denied",
      function: "Work",
      action: "dynamodb:PutItem",
      resource: "Rows",
      reason: "ForAllValues:StringLike dynamodb:LeadingKeys is not met",
    },
    { kind: "used", function: "Work", grant: "dynamodb:Query Rows/index/GS1" },
    { kind: "denied", function: "Work", action: "dynamodb:Scan", resource: "Rows", reason: null },
  ]);
  expect(reports).toEqual([
    "Work is denied dynamodb:PutItem on Rows: ForAllValues:StringLike dynamodb:LeadingKeys is not met.",
    "Work is denied dynamodb:Scan on Rows: no statement of its role allows it.",
  ]);
});

test.each([
  [
    "a policy of AWS",
    {},
    { role: { ManagedPolicyArns: ["arn:aws:iam::aws:policy/ReadOnlyAccess"] } },
    /not in the template/,
  ],
  ["a boundary", {}, { role: { PermissionsBoundary: "arn:aws:iam::000000000000:policy/own" } }, /not in the template/],
  ["NotAction", { NotAction: "s3:*" }, {}, /does not evaluate NotAction/],
])("a role with %s is refused at the start", (_case, part, more, message) => {
  expect(() => openRole([{ ...allow("s3:GetObject", "*"), ...part }], more)).toThrow(message);
});

it("a policy in the role itself counts, too", () => {
  const inline = { Policies: [{ PolicyDocument: { Statement: allow("dynamodb:Scan", TABLE) } }] };
  const fixture = openRole([], { role: inline });
  onTestFinished(fixture.close);
  expect(fixture.access.findDenial(fixture.key.id, [need("dynamodb:Scan")])).toBeNull();
  expect(fixture.access.findDenial(fixture.key.id, [need("dynamodb:Query")])).not.toBeNull();
});
