import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { consoleLog, type LogLine } from "#base/aws/log.ts";
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
