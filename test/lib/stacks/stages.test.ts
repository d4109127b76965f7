import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parleyApp, synthesize } from "../../../lib/app.ts";
import { resourcesOfType, synthesizeTemplates, type Template } from "../synth-templates.ts";

// Stages beside each other in one account and region.

const folder = mkdtempSync(join(tmpdir(), "parley-stages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const PLACE = { account: "111122223333", region: "eu-central-1" };
for (const [name, settings] of Object.entries({
  staging: { mailFrom: "parley@example.com", throttleRate: 7 },
  prod: { mailFrom: "parley@example.com", alarmTopicArn: "arn:aws:sns:eu-central-1:111122223333:alarms" },
})) {
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...PLACE, ...settings }));
}

const stage = (name: string, context: Record<string, string> = {}) =>
  synthesizeTemplates({ "parley:stage": name, ...context }, folder);
const [staging, prod, unnamed] = [stage("staging"), stage("prod"), synthesizeTemplates()];

const templates = ({ data, service }: { data: Template; service: Template }) => [data, service];
const stackNamesOf = (name: string) =>
  parleyApp({
    outdir: join(folder, `app-${name}`),
    context: { "parley:stage": name },
    stagesFolder: folder,
    bundle: false,
  })
    .node.findAll()
    .flatMap((each) => ("stackName" in each ? [String(each.stackName)] : []));

/** The names of exports. */
const exportsOf = (both: { data: Template; service: Template }) =>
  templates(both).flatMap(({ Outputs }) =>
    Object.values(Outputs).flatMap(({ Export }) => (Export ? [Export.Name] : [])),
  );

/** One metric of an alarm that computes with several, or an expression, which has no `MetricStat`. */
interface AlarmMetric {
  readonly MetricStat?: { readonly Metric: Readonly<Record<string, unknown>> };
}

/** Namespace and name of each metric of the service's own. The others have the generated name of a resource. */
function ownMetrics({ service }: { service: Template }): string[] {
  const filters = resourcesOfType(service, "AWS::Logs::MetricFilter").flatMap(([, { Properties }]) =>
    (Properties.MetricTransformations as { MetricNamespace: string; MetricName: string }[]).map(
      ({ MetricNamespace, MetricName }) => `${MetricNamespace} ${MetricName}`,
    ),
  );
  const alarms = resourcesOfType(service, "AWS::CloudWatch::Alarm")
    .flatMap(
      ([, { Properties }]) =>
        (Properties.Metrics as AlarmMetric[] | undefined) ?? [{ MetricStat: { Metric: Properties } }],
    )
    .flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []))
    .flatMap(({ Dimensions, Namespace, MetricName }) =>
      Dimensions === undefined ? [`${Namespace} ${MetricName}`] : [],
    );
  return [...filters, ...alarms];
}

/** Part of another resource, which names it: a role's own policy, an API's own stage. */
const NAMES_WITHIN = new Set(["AWS::IAM::Policy", "AWS::ApiGatewayV2::Stage"]);

/** Each property that gives a resource a fixed name. */
const physicalNames = (both: { data: Template; service: Template }) =>
  templates(both).flatMap(({ Resources }) =>
    Object.values(Resources)
      .filter(({ Type }) => !NAMES_WITHIN.has(Type) && Type !== "AWS::CloudWatch::Alarm")
      .flatMap(({ Properties, Type }) =>
        Object.entries(Properties)
          .filter(([key, value]) => /Name$/.test(key) && typeof value === "string")
          .map(([, value]) => `${Type} ${value}`),
      ),
  );

describe.each([
  ["staging", "prod", staging, prod],
  ["staging", "default", staging, unnamed],
])("the stages %s and %s", (one, other, first, second) => {
  test.each([
    ["stack", stackNamesOf(one), stackNamesOf(other)],
    ["export", exportsOf(first), exportsOf(second)],
    ["metric", ownMetrics(first), ownMetrics(second)],
    ["physical name", physicalNames(first), physicalNames(second)],
  ])("the stages have no %s in common", (_, names, others) => {
    expect(names.length).toBeGreaterThan(0);
    expect(names).toHaveLength(others.length);
    expect(names.filter((name) => others.includes(name))).toEqual([]);
  });
});

test("alarms have no name of their own, so that CloudFormation names each by its stack", () => {
  for (const { service } of [staging, unnamed]) {
    for (const [, { Properties }] of resourcesOfType(service, "AWS::CloudWatch::Alarm")) {
      expect(Properties.AlarmName).toBeUndefined();
    }
  }
});

test("a function of a stage reads only what the same stage exports", () => {
  const imports = [...staging.text.matchAll(/"Fn::ImportValue": "([^"]+)"/g)].map(([, name]) => name);
  expect(imports.length).toBeGreaterThan(0);
  expect(imports.filter((name) => !exportsOf(staging).includes(name ?? ""))).toEqual([]);
});

test("the tag parley:stage is on the table, the functions and the queues of a stage", () => {
  const tag = { Key: "parley:stage", Value: "staging" };
  const types = [
    "AWS::DynamoDB::Table",
    "AWS::Lambda::Function",
    "AWS::SQS::Queue",
    "AWS::KMS::Key",
    "AWS::S3::Bucket",
  ];
  for (const type of types) {
    const resources = templates(staging).flatMap((each) => resourcesOfType(each, type));
    expect(resources.length, type).toBeGreaterThan(0);
    for (const [id, { Properties }] of resources)
      expect([id, Properties.Tags]).toEqual([id, expect.arrayContaining([tag])]);
  }
});

test("a stage has the resources of the default one, and its data stack the same ids", () => {
  const sameSettings = synthesizeTemplates({ "parley:mailFrom": "parley@example.com", "parley:throttleRate": "7" });
  expect(Object.keys(staging.data.Resources)).toEqual(Object.keys(sameSettings.data.Resources));
  // The id of what connects a function to a queue has the name of the stack.
  const types = ({ service }: { service: Template }) => Object.values(service.Resources).map(({ Type }) => Type);
  expect(types(staging)).toEqual(types(sameSettings));
});

test("the default stage has no tag, so that an update of a deployment changes nothing", () => {
  expect(unnamed.text).not.toContain("parley:stage");
  expect(stackNamesOf("default")).toEqual(["ParleyData", "ParleyService"]);
  expect(ownMetrics(unnamed)).toContain("Parley PostponedWebhookAge");
});

test("the settings of a stage's file apply, and those of the command override single ones", () => {
  const throttle = ({ service }: { service: Template }) =>
    resourcesOfType(service, "AWS::ApiGatewayV2::Stage")[0]?.[1].Properties.DefaultRouteSettings;
  expect(throttle(staging)).toEqual({ ThrottlingRateLimit: 7, ThrottlingBurstLimit: 500 });
  const overridden = stage("staging", { "parley:throttleRate": "9" });
  expect(throttle(overridden)).toEqual({ ThrottlingRateLimit: 9, ThrottlingBurstLimit: 500 });
  // Mail is a setting of the file, too.
  expect(resourcesOfType(overridden.service, "AWS::SES::ConfigurationSet")).toHaveLength(1);
});

test("the stacks of a stage can be deployed to its account and region only", () => {
  const outdir = join(folder, "placed");
  synthesize({ outdir, context: { "parley:stage": "staging" }, stagesFolder: folder, bundle: false });
  const { artifacts } = JSON.parse(readFileSync(join(outdir, "manifest.json"), "utf8"));
  expect(artifacts["ParleyData-staging"].environment).toBe("aws://111122223333/eu-central-1");
  expect(artifacts["ParleyService-staging"].environment).toBe("aws://111122223333/eu-central-1");
});

test("CloudFormation protects the data stack of every stage from deletion, and no service stack", () => {
  for (const name of ["default", "staging"]) {
    const context = { "parley:stage": name };
    const outdir = join(folder, `protected-${name}`);
    const app = parleyApp({ outdir, context, stagesFolder: folder, bundle: false });
    const protection = app.node.children.flatMap((each) =>
      "terminationProtection" in each ? [[each.node.id.replace(/-.*/, ""), each.terminationProtection]] : [],
    );
    expect(protection).toEqual([
      ["ParleyData", true],
      ["ParleyService", false],
    ]);
  }
});

describe("the command", () => {
  const project = new URL("../../..", import.meta.url);

  test.each([
    ["an unknown stage", { "parley:stage": "nowhere" }, {}, "stages/nowhere.json does not exist"],
    ["an invalid name", { "parley:stage": "No Stage" }, {}, 'Invalid stage "No Stage"'],
    ["another account", { "parley:stage": "example" }, { CDK_DEFAULT_ACCOUNT: "999900001111" }, "999900001111"],
    ["another region", { "parley:stage": "example" }, { CDK_DEFAULT_REGION: "us-east-1" }, "AWS_REGION=eu-central-1"],
    ["an invalid setting", { "parley:stage": "example", "parley:throttleRate": "fast" }, {}, "parley:throttleRate"],
  ])("the command refuses %s in one line and builds nothing", (name, context, environment, message) => {
    const outdir = join(folder, `refused ${name}`);
    const { CDK_DEFAULT_ACCOUNT: _account, CDK_DEFAULT_REGION: _region, ...rest } = process.env;
    const env = { ...rest, ...environment, CDK_CONTEXT_JSON: JSON.stringify(context) };
    const run = spawnSync(process.execPath, ["bin/app.ts", outdir], { cwd: project, env, encoding: "utf8" });
    expect([run.status, run.stdout]).toEqual([1, ""]);
    expect(run.stderr.trimEnd().split("\n")).toEqual([expect.stringContaining(message)]);
    expect(existsSync(join(outdir, "manifest.json"))).toBe(false);
    expect(existsSync(join(outdir, "bundles"))).toBe(false);
  });
});
