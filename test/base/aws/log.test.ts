import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { consoleLog, type LogLine } from "#base/aws/log.ts";
import { env } from "#base/config/names.ts";
import { setRuntimeOverrides } from "#base/kernel/runtime.ts";
import { runWithTrace } from "#base/kernel/trace.ts";

let written: string[];
beforeEach(() => {
  written = [];
  vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    written.push(String(chunk));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  setRuntimeOverrides({});
});

const refused: LogLine = { event: "intake.refused", reason: "signature" };
const recordFailed: LogLine = {
  event: "record.failed",
  worker: "ingest",
  message_id: "m-1",
  error: "TypeError",
  receives: 1,
  trace_id: "request-1",
};

/** What one call of `consoleLog` wrote. */
function logOnce(line: LogLine): string {
  written = [];
  consoleLog(line);
  return written.join("");
}

it.each<[string, LogLine]>([
  ["info", { event: "sends.settled", sends: 2 }],
  ["warn", refused],
  ["error", { event: "hold.send_failed", error: "TypeError" }],
])("the log writes one line of JSON with its level: %s", (level, line) => {
  expect(logOnce(line)).toBe(`${JSON.stringify({ level, ...line })}\n`);
});

it("the log adds the trace id of the work that writes the line", async () => {
  const line = await runWithTrace("request-1", async () => {
    await Promise.resolve();
    return logOnce(refused);
  });
  expect(JSON.parse(line)).toEqual({ level: "warn", ...refused, trace_id: "request-1" });
});

it("the log adds no trace id where the work has none", () => {
  const line = runWithTrace("request-1", () => runWithTrace(null, () => logOnce(refused)));
  expect(JSON.parse(line)).toEqual({ level: "warn", ...refused });
});

it("the log writes the trace id of the line itself where the work has none", () => {
  expect(JSON.parse(logOnce(recordFailed))).toEqual({ level: "error", ...recordFailed });
});

it("the log writes metrics in the embedded metric format, without a dimension and without a trace id", () => {
  setRuntimeOverrides({ now: () => 1_700_000_000_000 });
  const line = runWithTrace("request-1", () =>
    logOnce({ event: "metrics.counted", metrics: { Delivered: 1, DeliveryLatency: 250 } }),
  );
  expect(line.endsWith("}\n")).toBe(true);
  expect(JSON.parse(line)).toEqual({
    level: "info",
    event: "metrics.counted",
    _aws: {
      Timestamp: 1_700_000_000_000,
      CloudWatchMetrics: [
        {
          Namespace: "Parley",
          Dimensions: [[]],
          Metrics: [
            { Name: "Delivered", Unit: "Count" },
            { Name: "DeliveryLatency", Unit: "Milliseconds" },
          ],
        },
      ],
    },
    Delivered: 1,
    DeliveryLatency: 250,
  });
});

it("the log names the namespace of the stage", () => {
  vi.stubEnv(env.metricNamespace, "Parley/staging");
  const { _aws } = JSON.parse(logOnce({ event: "metrics.counted", metrics: { Accepted: 1 } })) as {
    _aws: { CloudWatchMetrics: { Namespace: string }[] };
  };
  expect(_aws.CloudWatchMetrics.map(({ Namespace }) => Namespace)).toEqual(["Parley/staging"]);
});
