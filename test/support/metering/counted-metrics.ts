import type { LogLine } from "#base/aws/log.ts";
import type { Metrics } from "#base/config/metrics.ts";

/** What the lines count, in their order. */
export function countedMetrics(lines: readonly LogLine[]): Metrics[] {
  return lines.flatMap((line) => (line.event === "metrics.counted" ? [line.metrics] : []));
}
