import { expect, it } from "vitest";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";
import { Resolver, ResourceNotCreated } from "#local-aws/template/intrinsics.ts";
import type { Template } from "#local-aws/template/template.ts";

/** A placeholder for a name, as a template writes it. */
const placeholder = (name: string): string => `\${${name}}`;

const data: Template = {
  Resources: { Table: { Type: "AWS::DynamoDB::Table" }, Later: { Type: "AWS::SQS::Queue" } },
  Outputs: {
    Out: { Value: { Ref: "Table" }, Export: { Name: { "Fn::Sub": `${placeholder("AWS::StackName")}:Table` } } },
  },
};
const service: Template = {
  Resources: { Api: { Type: "AWS::Lambda::Function" } },
  Parameters: {
    Size: { Type: "Number", Default: 3 },
    Unset: { Type: "String" },
    Bootstrap: { Type: "AWS::SSM::Parameter::Value<String>", Default: "/cdk-bootstrap/version" },
  },
  Mappings: { Sizes: { "us-east-1": { memory: "512" } } },
  Conditions: {
    Here: { "Fn::Equals": [{ Ref: "AWS::Region" }, "us-east-1"] },
    Away: { "Fn::Not": [{ Condition: "Here" }] },
    Both: { "Fn::And": [{ Condition: "Here" }, { Condition: "Away" }] },
    Either: { "Fn::Or": [{ Condition: "Here" }, { Condition: "Away" }] },
  },
};

function resolver(): Resolver {
  const instance = new Resolver({
    folder: "/",
    stacks: [
      { name: "Data", template: data },
      { name: "Service", template: service },
    ],
  });
  instance.register("Data", "Table", { ref: "the-table", attributes: { Arn: "arn:table" } });
  instance.register("Service", "Api", { ref: "the-api", attributes: { Arn: "arn:api" } });
  return instance;
}

it.each([
  ["a resource by Ref", { Ref: "Api" }, "the-api"],
  ["a parameter's default by Ref", { Ref: "Size" }, 3],
  ["a pseudo parameter", { Ref: "AWS::Region" }, "us-east-1"],
  ["an attribute as a list", { "Fn::GetAtt": ["Api", "Arn"] }, "arn:api"],
  ["an attribute as a text", { "Fn::GetAtt": "Api.Arn" }, "arn:api"],
  ["joined parts", { "Fn::Join": ["/", ["a", { Ref: "Api" }, "b"]] }, "a/the-api/b"],
  ["a chosen part", { "Fn::Select": [1, { "Fn::Split": [":", { "Fn::GetAtt": ["Api", "Arn"] }] }] }, "api"],
  ["a split text", { "Fn::Split": [",", "a,b"] }, ["a", "b"]],
  [
    "a substitution",
    { "Fn::Sub": ["Api", "Api.Arn", "AWS::Partition", "!Api"].map(placeholder).join("|") },
    `the-api|arn:api|aws|${placeholder("Api")}`,
  ],
  [
    "a substitution with names of its own",
    { "Fn::Sub": [`${placeholder("Name")}-${placeholder("Api")}`, { Name: { Ref: "Size" } }] },
    "3-the-api",
  ],
  ["a mapping", { "Fn::FindInMap": ["Sizes", { Ref: "AWS::Region" }, "memory"] }, "512"],
  ["the value of a true condition", { "Fn::If": ["Here", "yes", "no"] }, "yes"],
  ["the value of a false condition", { "Fn::If": ["Away", "yes", "no"] }, "no"],
  ["another stack's export", { "Fn::ImportValue": "Data:Table" }, "the-table"],
  ["no value, left out of an object", { a: 1, b: { Ref: "AWS::NoValue" } }, { a: 1 }],
  ["no value, left out of a list", [1, { "Fn::If": ["Away", 2, { Ref: "AWS::NoValue" }] }], [1]],
])("values of a template resolves %s", (_what, value, expected) => {
  expect(resolver().resolve("Service", value)).toEqual(expected);
});

it.each([
  ["a Ref to nothing", { Ref: "Ghost" }, /Ghost names nothing/],
  ["an attribute of nothing", { "Fn::GetAtt": ["Ghost", "Arn"] }, /Ghost\.Arn names nothing/],
  ["an attribute that is not supported", { "Fn::GetAtt": ["Api", "Url"] }, /no attribute Url/],
  ["an export of no stack", { "Fn::ImportValue": "Data:Ghost" }, /No stack exports Data:Ghost/],
  ["an unknown function", { "Fn::Cidr": ["10.0.0.0/8", 1, 8] }, /Fn::Cidr/],
  ["a parameter without a value", { Ref: "Unset" }, /give it a default/],
  ["a parameter whose value is in the cloud", { Ref: "Bootstrap" }, /no value here/],
  ["a missing part", { "Fn::Select": [2, ["a"]] }, /not there/],
  ["a missing mapping", { "Fn::FindInMap": ["Sizes", "eu-west-1", "memory"] }, /no mapping/],
  ["a missing condition", { "Fn::If": ["Ghost", 1, 2] }, /no condition Ghost/],
  ["a dynamic reference", "{{resolve:ssm:/name}}", /dynamic references/],
])("values of a template refuses %s", (_what, value, message) => {
  const refused = () => resolver().resolve("Service", value);
  expect(refused).toThrow(LocalRefusal);
  expect(refused).toThrow(message);
});

it("values of a template reports a resource that is not created yet with its own error", () => {
  expect(() => resolver().resolve("Data", { Ref: "Later" })).toThrow(ResourceNotCreated);
});

it.each([
  ["Here", true],
  ["Away", false],
  ["Both", false],
  ["Either", true],
])("values of a template evaluates the condition %s as %s", (condition, expected) => {
  expect(resolver().isConditionMet("Service", condition)).toBe(expected);
});
