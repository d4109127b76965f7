import { describe, expect, test } from "vitest";
import { functions } from "#base/config/names.ts";
import { readPage } from "../../docs/markdown.ts";
import { resolveReference, resourcesOfType, synthesizeTemplates } from "../synth-templates.ts";

const { service } = synthesizeTemplates();

describe("the alarms", () => {
  const alarms = (template = service) =>
    resourcesOfType(template, "AWS::CloudWatch::Alarm").map(([, { Properties }]) => Properties);
  const watched = alarms().map(({ MetricName, Threshold, ComparisonOperator, Statistic, Dimensions }) => {
    const [dimension = { Value: { Ref: "no dimension" } }] = (Dimensions ?? []) as { Value: unknown }[];
    return [
      MetricName,
      resolveReference(dimension?.Value).replace(/[0-9A-F]{8}$/, ""),
      ComparisonOperator,
      Threshold,
      Statistic,
    ];
  });
  const above = "GreaterThanThreshold";

  test.each(functions)("one fires for any error of %s", (name) => {
    expect(watched).toContainEqual(["Errors", name, above, 0, "Sum"]);
  });

  test("one fires for any 5xx response", () => {
    expect(watched).toContainEqual(["5xx", "HttpApiGateway", above, 0, "Sum"]);
  });

  test("one fires for any dead letter, although the letter leaves its queue within seconds", () => {
    expect(watched).toContainEqual(["Invocations", "DeadLetters", above, 0, "Sum"]);
  });

  test.each([
    "Inbound",
    "Events",
    "Deliveries",
    "SlowDeliveries",
    "Profiles",
    "Erasures",
    "Mails",
    "Uploads",
    "Accounts",
    "Realtime",
  ])("one fires for dead letters of %s that remain in their queue", (name) => {
    expect(watched).toContainEqual([
      "ApproximateNumberOfMessagesVisible",
      `${name}DeadLetterQueue`,
      above,
      0,
      "Maximum",
    ]);
  });

  test.each(["Inbound", "Events", "Realtime"])("one fires when %s falls five minutes behind", (name) => {
    expect(watched).toContainEqual(["ApproximateAgeOfOldestMessage", `${name}Queue`, above, 300, "Maximum"]);
  });

  test("one fires when a webhook has waited five minutes for the end of an outage", () => {
    const waiting = alarms().find(({ MetricName }) => MetricName === "PostponedWebhookAge");
    expect(waiting).toMatchObject({ Namespace: "Parley", Threshold: 300_000, Statistic: "Maximum", Period: 1200 });
  });

  test("the dead letter alarm names the command that lists it", () => {
    const arrived = alarms().find(({ MetricName }) => MetricName === "Invocations");
    expect(arrived?.AlarmDescription).toContain("npm run admin -- dlq list");
  });

  test("docs/operate/monitoring.md explains each, and no other", () => {
    const ids = resourcesOfType(service, "AWS::CloudWatch::Alarm").map(
      ([id]) => /^Alarms(\w+)[0-9A-F]{8}$/.exec(id)?.[1],
    );
    const [, table = ""] = /^## Alarms$(.*?)^## /ms.exec(readPage("docs/operate/monitoring.md")) ?? [];
    const explained = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, names = ""]) => names.match(/\w+/g) ?? []);
    expect(explained.toSorted()).toEqual(ids.toSorted());
  });

  test("missing data raises no alarm", () => {
    for (const alarm of alarms()) expect(alarm.TreatMissingData).toBe("notBreaching");
  });

  test("all notify the operator's topic if one is set", () => {
    const topic = "arn:aws:sns:eu-central-1:123456789012:alarms";
    for (const alarm of alarms()) expect(alarm.AlarmActions).toBeUndefined();
    for (const alarm of alarms(synthesizeTemplates({ "parley:alarmTopicArn": topic }).service)) {
      expect(alarm.AlarmActions).toEqual([topic]);
    }
  });
});
