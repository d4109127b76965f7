import { describe, expect, test } from "vitest";
import { functions } from "../../../shared/config/names.ts";
import { resolveReference, resourcesOfType, synthesizeTemplates } from "../synth-templates.ts";

const { service } = synthesizeTemplates();

describe("the alarms", () => {
  const alarms = (template = service) =>
    resourcesOfType(template, "AWS::CloudWatch::Alarm").map(([, { Properties }]) => Properties);
  const watched = alarms().map(({ MetricName, Threshold, ComparisonOperator, Statistic, Dimensions }) => {
    const [dimension] = Dimensions as { Value: unknown }[];
    return [
      MetricName,
      resolveReference(dimension?.Value).replace(/[0-9A-F]{8}$/, ""),
      ComparisonOperator,
      Threshold,
      Statistic,
    ];
  });
  const above = "GreaterThanThreshold";

  test.each(functions)("one tells of any error of %s", (name) => {
    expect(watched).toContainEqual(["Errors", name, above, 0, "Sum"]);
  });

  test("one tells of any request that was answered with a 5xx", () => {
    expect(watched).toContainEqual(["5xx", "HttpApiGateway", above, 0, "Sum"]);
  });

  test("one tells of any dead letter, although it is taken from its queue within seconds", () => {
    expect(watched).toContainEqual(["Invocations", "DeadLetters", above, 0, "Sum"]);
  });

  test.each(["Inbound", "Events", "Deliveries", "Profiles", "Erasures"])(
    "one tells of dead letters of %s that stay in their queue",
    (name) => {
      expect(watched).toContainEqual([
        "ApproximateNumberOfMessagesVisible",
        `${name}DeadLetterQueue`,
        above,
        0,
        "Maximum",
      ]);
    },
  );

  test.each(["Inbound", "Events"])("one tells when %s falls five minutes behind", (name) => {
    expect(watched).toContainEqual(["ApproximateAgeOfOldestMessage", `${name}Queue`, above, 300, "Maximum"]);
  });

  test("the one of a dead letter names the command that shows it", () => {
    const arrived = alarms().find(({ MetricName }) => MetricName === "Invocations");
    expect(arrived?.AlarmDescription).toContain("npm run admin -- dlq list");
  });

  test("silence is no alarm", () => {
    for (const alarm of alarms()) expect(alarm.TreatMissingData).toBe("notBreaching");
  });

  test("all notify the operator's topic when there is one", () => {
    const topic = "arn:aws:sns:eu-central-1:123456789012:alarms";
    for (const alarm of alarms()) expect(alarm.AlarmActions).toBeUndefined();
    for (const alarm of alarms(synthesizeTemplates({ "parley:alarmTopicArn": topic }).service)) {
      expect(alarm.AlarmActions).toEqual([topic]);
    }
  });
});
