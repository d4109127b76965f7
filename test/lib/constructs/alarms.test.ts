import { describe, expect, test } from "vitest";
import { backgroundQueues, functions, queues } from "#base/config/names.ts";
import { readPage } from "../../docs/markdown.ts";
import { resolveReference, resourceProperties, resourcesOfType, synthesizeTemplates } from "../synth-templates.ts";

type AlarmProperties = Readonly<Record<string, unknown>>;

/** The metrics that an alarm watches, which is what AWS bills. An expression is none. */
function metricsOf(alarm: AlarmProperties): AlarmProperties[] {
  const metrics = alarm.Metrics as { MetricStat?: { Metric: AlarmProperties; Stat: string } }[] | undefined;
  if (metrics === undefined) return [alarm];
  return metrics.flatMap(({ MetricStat }) =>
    MetricStat ? [{ ...MetricStat.Metric, Statistic: MetricStat.Stat }] : [],
  );
}

/** The construct that a dimension names. */
function dimensionOf(value: unknown): string {
  return JSON.stringify(value).includes("SingleTable")
    ? "the table"
    : resolveReference(value).replace(/[0-9A-F]{8}$/, "");
}

const { service } = synthesizeTemplates();

describe("the alarms", () => {
  const alarms = (template = service) =>
    resourcesOfType(template, "AWS::CloudWatch::Alarm").map(([, { Properties }]) => Properties);
  /** Each metric that an alarm watches, with the alarm's condition. */
  const watched = alarms().flatMap((alarm) => {
    const { Threshold, ComparisonOperator } = alarm;
    return metricsOf(alarm).map(({ MetricName, Statistic, Dimensions }) => {
      const [dimension = { Value: { Ref: "no dimension" } }] = (Dimensions ?? []) as { Value: unknown }[];
      return [MetricName, dimensionOf(dimension.Value), ComparisonOperator, Threshold, Statistic];
    });
  });
  const above = "GreaterThanThreshold";

  test("an alarm fires for any error of a function", () => {
    expect(watched).toContainEqual(["FunctionErrors", "no dimension", above, 0, "Sum"]);
  });

  test.each(functions)(
    "the log of %s feeds the alarm of errors with each report of an invocation that failed",
    (name) => {
      const { LogGroup } = resourceProperties(service, name).LoggingConfig as { LogGroup: unknown };
      const filters = resourcesOfType(service, "AWS::Logs::MetricFilter").filter(
        ([, { Properties }]) => resolveReference(Properties.LogGroupName) === resolveReference(LogGroup),
      );
      expect(filters.map(([, { Properties }]) => Properties)).toContainEqual({
        LogGroupName: LogGroup,
        FilterPattern: '{ ($.type = "platform.report") && ($.record.status != "success") }',
        MetricTransformations: [
          { MetricNamespace: "Parley", MetricName: "FunctionErrors", MetricValue: "1", Unit: "Count" },
        ],
      });
      // At another level Lambda writes no report of a failed invocation as JSON.
      expect(resourceProperties(service, name).LoggingConfig).toMatchObject({
        LogFormat: "JSON",
        SystemLogLevel: "WARN",
      });
    },
  );

  test("an alarm fires for any 5xx response", () => {
    expect(watched).toContainEqual(["5xx", "HttpApiGateway", above, 0, "Sum"]);
  });

  test("an alarm fires for any dead letter, although the sweep takes the letter from its queue", () => {
    expect(watched).toContainEqual(["DeadLettersArrived", "no dimension", above, 0, "Sum"]);
  });

  test("an alarm fires for what two of three looks of the sweep found: dead letters that it could not store, or the key", () => {
    expect(watched).toContainEqual(["WatchFindings", "no dimension", above, 0, "Sum"]);
    const findings = alarms().find(({ MetricName }) => MetricName === "WatchFindings");
    expect(findings).toMatchObject({ DatapointsToAlarm: 2, EvaluationPeriods: 3, Period: 300 });
    for (const event of ["key.unusable", "dead_letters.waiting"]) expect(findings?.AlarmDescription).toContain(event);
  });

  test("the alarms are the same where the queues have one dead letter queue, which the sweep reads", () => {
    const small = synthesizeTemplates({ "parley:size": "small" }).service;
    const names = (template = service) => alarms(template).map(({ MetricName }) => MetricName);
    expect(names(small)).toEqual(names());
    const [id = ""] = resourcesOfType(small, "AWS::SQS::Queue").flatMap(([name]) =>
      name.startsWith("DeadLetterQueue") ? [name] : [],
    );
    const grants = resourcesOfType(small, "AWS::IAM::Policy").flatMap(
      ([, { Properties }]) => (Properties.PolicyDocument as { Statement: Record<string, unknown>[] }).Statement,
    );
    expect(grants.filter(({ Sid }) => Sid === "EmptyDeadLetterQueues").map(({ Resource }) => Resource)).toEqual([
      { "Fn::GetAtt": [id, "Arn"] },
    ]);
  });

  test("an alarm fires when nearly all looks of half an hour found messages in a queue of background work, and names the queues", () => {
    const late = alarms().find(({ MetricName }) => MetricName === "QueuesWaiting");
    expect(late).toMatchObject({ Threshold: 0, DatapointsToAlarm: 5, EvaluationPeriods: 6, Period: 300 });
    for (const name of backgroundQueues) expect(late?.AlarmDescription).toContain(name);
  });

  const busyQueues = queues.filter((name) => !(backgroundQueues as readonly string[]).includes(name));
  test.each(busyQueues)(
    "an alarm fires when %s falls behind, after five minutes where messages are due at once",
    (name) => {
      const age = ["Inbound", "Events", "Realtime"].includes(name) ? 300 : 1_800;
      expect(watched).toContainEqual(["ApproximateAgeOfOldestMessage", `${name}Queue`, above, age, "Maximum"]);
    },
  );

  test("there are at most twenty alarms", () => {
    expect(alarms().length).toBeLessThanOrEqual(20);
  });

  test("an alarm fires when the sweep has not run for ten minutes, and also when it has no data", () => {
    const stopped = alarms().find(({ ComparisonOperator }) => ComparisonOperator !== above);
    expect(stopped).toMatchObject({
      MetricName: "Invocations",
      Statistic: "Sum",
      ComparisonOperator: "LessThanThreshold",
      Threshold: 1,
      Period: 300,
      EvaluationPeriods: 2,
      TreatMissingData: "breaching",
    });
    expect(watched).toContainEqual(["Invocations", "Sweep", "LessThanThreshold", 1, "Sum"]);
  });

  test.each([
    ["Throttles", "Ingest"],
    ["Throttles", "Deliver"],
    ["TableThrottles", "no dimension"],
    ["GatewayThrottled", "no dimension"],
    ["AccountsNeedAttention", "no dimension"],
  ])("an alarm fires for any %s of %s", (metric, of) => {
    expect(watched).toContainEqual([metric, of, above, 0, "Sum"]);
  });

  test("an alarm of several metrics fires for their sum, in which a metric without data is 0", () => {
    const expressions = alarms().flatMap(({ Metrics }) =>
      ((Metrics ?? []) as { Expression?: string }[]).flatMap(({ Expression }) => Expression ?? []),
    );
    expect(expressions).toEqual(["FILL(m0, 0) + FILL(m1, 0)"]);
  });

  test("an alarm fires for more than ten refused webhooks in an hour, and one for accounts that a check of the last day found", () => {
    const byName = (name: string) => alarms().find(({ MetricName }) => MetricName === name);
    expect(byName("WebhooksRefused")).toMatchObject({ Threshold: 10, Statistic: "Sum", Period: 3_600 });
    expect(byName("AccountsNeedAttention")).toMatchObject({ Period: 86_400 });
  });

  test("an alarm fires when a webhook has waited five minutes for the end of an outage", () => {
    const waiting = alarms().find(({ MetricName }) => MetricName === "PostponedWebhookAge");
    expect(waiting).toMatchObject({ Namespace: "Parley", Threshold: 300_000, Statistic: "Maximum", Period: 1200 });
  });

  test("the dead letter alarm names the command that lists it", () => {
    const arrived = alarms().find(({ MetricName }) => MetricName === "DeadLettersArrived");
    expect(arrived?.AlarmDescription).toContain("npm run admin -- dlq list");
  });

  const page = readPage("docs/operate/monitoring.md");
  const [, chapter = ""] = /^## Alarms$(.*?)^## /ms.exec(page) ?? [];

  test("docs/operate/monitoring.md has a heading for each, and for no other", () => {
    const ids = resourcesOfType(service, "AWS::CloudWatch::Alarm").map(
      ([id]) => /^Alarms(\w+)[0-9A-F]{8}$/.exec(id)?.[1],
    );
    const headings = [...chapter.matchAll(/^### (.*)$/gm)].flatMap(([, names = ""]) => names.match(/\w+/g) ?? []);
    expect(headings.toSorted()).toEqual(ids.toSorted());
  });

  const sections = chapter.split(/^### /m).slice(1);

  test.each(sections.map((section) => [section.slice(0, section.indexOf("\n")), section]))(
    "the docs say of %s what it means, where to look, what to do and when it is green",
    (_, section) => {
      const parts = [...section.matchAll(/^- \*\*(.*?)\*\*: \S/gm)].map(([, part]) => part);
      expect(parts).toEqual(["Meaning", "Look", "Do", "Green"]);
    },
  );

  test("docs/operate/monitoring.md says for how many metrics of alarms AWS bills", () => {
    const metrics = alarms().flatMap(metricsOf).length;
    expect(page).toContain(`${metrics} metrics of ${alarms().length} alarms, $${(metrics / 10).toFixed(2)} a month`);
  });

  test("all alarms but that of the sweep are green without data", () => {
    const breaching = alarms().filter(({ TreatMissingData }) => TreatMissingData !== "notBreaching");
    expect(breaching.map(({ Threshold, MetricName }) => [MetricName, Threshold])).toEqual([["Invocations", 1]]);
  });

  test("all alarms notify the operator's topic if one is set", () => {
    const topic = "arn:aws:sns:eu-central-1:123456789012:alarms";
    for (const alarm of alarms()) expect(alarm.AlarmActions).toBeUndefined();
    for (const alarm of alarms(synthesizeTemplates({ "parley:alarmTopicArn": topic }).service)) {
      expect(alarm.AlarmActions).toEqual([topic]);
    }
  });
});
