import { expect, it } from "vitest";
import type { LogLine } from "#base/aws/log.ts";
import { collectMetrics } from "../../../functions/worker/collect-metrics.ts";

function collecting() {
  const lines: LogLine[] = [];
  return { lines, ...collectMetrics((line) => lines.push(line)) };
}
const counted = (metrics: object) => ({ event: "metrics.counted", metrics });

it("the metrics of a batch are one line, with sums of counts and each value of a time", () => {
  const { lines, log, flush } = collecting();
  log({ event: "metrics.counted", metrics: { Delivered: 1, DeliveryLatency: 20 } });
  log({ event: "metrics.counted", metrics: { Delivered: 1, DeliveryLatency: [30, 40], Retries: 1 } });
  log({ event: "metrics.counted", metrics: { Stored: 3 } });
  expect(lines).toEqual([]);
  flush();
  expect(lines).toEqual([counted({ Delivered: 2, Retries: 1, Stored: 3, DeliveryLatency: [20, 30, 40] })]);
  flush();
  expect(lines).toHaveLength(1);
});

it("one value of a time is a number, and a batch that counts nothing writes no line", () => {
  const { lines, log, flush } = collecting();
  flush();
  expect(lines).toEqual([]);
  log({ event: "metrics.counted", metrics: { DeliveryLatency: 0 } });
  flush();
  expect(lines).toEqual([counted({ DeliveryLatency: 0 })]);
});

it("the metrics of a line have at most a hundred values of a time, and no count twice", () => {
  const { lines, log, flush } = collecting();
  for (let value = 0; value < 201; value++)
    log({ event: "metrics.counted", metrics: { Delivered: 1, DeliveryLatency: value } });
  flush();
  const values = Array.from({ length: 201 }, (_, value) => value);
  expect(lines).toEqual([
    counted({ Delivered: 201, DeliveryLatency: values.slice(0, 100) }),
    counted({ DeliveryLatency: values.slice(100, 200) }),
    counted({ DeliveryLatency: 200 }),
  ]);
});

it("any other line of a batch is written at once", () => {
  const { lines, log } = collecting();
  const line = { event: "worker.failed", worker: "deliver", error: "Error" } as const;
  log(line);
  expect(lines).toEqual([line]);
});
