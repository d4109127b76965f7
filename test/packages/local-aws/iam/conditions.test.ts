import { expect, it, test } from "vitest";
import { type Condition, evaluateCondition } from "#local-aws/iam/conditions.ts";

const evaluate = (condition: Condition, context: Readonly<Record<string, readonly string[]>>) =>
  evaluateCondition(condition, context).kind;

const leading = (operator: string, ...values: string[]) => ({ [operator]: { "dynamodb:LeadingKeys": values } });
const keys = (...values: string[]) => ({ "dynamodb:leadingkeys": values });

test.each([
  ["one value of the policy", leading("ForAllValues:StringLike", "A#*", "B#*"), keys("B#1"), "met"],
  [
    "each of its values another of the policy",
    leading("ForAllValues:StringLike", "A#*", "B#*"),
    keys("A#1", "B#1"),
    "met",
  ],
  ["one of its values none", leading("ForAllValues:StringLike", "A#*"), keys("A#1", "B#1"), "unmet"],
  ["no value", leading("ForAllValues:StringLike", "A#*"), {}, "met"],
  ["no value, for any value", leading("ForAnyValue:StringLike", "A#*"), {}, "unmet"],
  ["one of its values, for any value", leading("ForAnyValue:StringLike", "A#*"), keys("A#1", "B#1"), "met"],
  ["a value only in another case", leading("ForAllValues:StringEquals", "a#1"), keys("A#1"), "unmet"],
  [
    "a value in another case, which is ignored",
    leading("ForAllValues:StringEqualsIgnoreCase", "a#1"),
    keys("A#1"),
    "met",
  ],
  ["a pattern only as text", leading("StringEquals", "A#*"), keys("A#1"), "unmet"],
  ["one character", leading("StringLike", "A#?"), keys("A#1"), "met"],
  ["no more than one character", leading("StringLike", "A#?"), keys("A#12"), "unmet"],
  ["an escaped star", leading("StringLike", `A#\${*}`), keys("A#*"), "met"],
  ["a text with the signs of expressions", leading("StringLike", "A.(1)*"), keys("Ax(1)"), "unmet"],
  ["an excluded value", leading("StringNotEquals", "A"), keys("A"), "unmet"],
  ["no value, which is not the excluded one", leading("StringNotLike", "A"), {}, "met"],
  ["no value", leading("StringEquals", "A"), {}, "unmet"],
  ["no value, if it exists", leading("StringEqualsIfExists", "A"), {}, "met"],
  ["no value, which is required", { Null: { "dynamodb:LeadingKeys": "false" } }, {}, "unmet"],
  ["a value, which is required", { Null: { "dynamodb:LeadingKeys": "false" } }, keys("A"), "met"],
])("a request with %s is judged as IAM does", (_case, condition, context, kind) => {
  expect(evaluate(condition, context)).toBe(kind);
});

it("each key of each operator must be met", () => {
  const condition = {
    StringEquals: { "kms:EncryptionContext:app": "parley", "kms:EncryptionContext:purpose": ["a", "b"] },
  };
  const context = { "kms:encryptioncontext:app": ["parley"], "kms:encryptioncontext:purpose": ["b"] };
  expect(evaluateCondition(condition, context)).toEqual({
    kind: "met",
    matched: [
      { test: "StringEquals kms:EncryptionContext:app", value: "parley" },
      { test: "StringEquals kms:EncryptionContext:purpose", value: "b" },
    ],
  });
  expect(evaluate(condition, { ...context, "kms:encryptioncontext:app": ["other"] })).toBe("unmet");
  expect(evaluate(condition, { "kms:encryptioncontext:app": ["parley"] })).toBe("unmet");
});

test.each([
  ["an operator", { DateLessThan: { "dynamodb:LeadingKeys": "A" } }, "the condition operator DateLessThan"],
  ["a key", { StringEquals: { "aws:SourceIp": "A" } }, "the condition key aws:SourceIp"],
  [
    "a variable",
    { StringLike: { "dynamodb:LeadingKeys": `\${aws:username}` } },
    `the policy variable \${aws:username}`,
  ],
  [
    "an operator named like an object's own",
    { constructor: { "s3:prefix": "A" } },
    "the condition operator constructor",
  ],
])("%s that is not emulated is named and meets no condition", (_case, condition, problem) => {
  expect(evaluateCondition(condition, keys("A"))).toEqual({
    kind: "unknown",
    problem: `${problem} is not emulated`,
  });
});

it("several values without ForAllValues or ForAnyValue meet no condition", () => {
  expect(evaluate(leading("StringEquals", "A", "B"), keys("A", "B"))).toBe("unknown");
});
