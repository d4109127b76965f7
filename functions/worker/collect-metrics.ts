import type { Log, LogLine } from "#base/aws/log.ts";

type Metrics = Extract<LogLine, { readonly event: "metrics.counted" }>["metrics"];

/** CloudWatch reads at most so many values of a metric in a line. */
const VALUES_MAX = 100;

interface CollectedMetrics {
  /** Writes each line but those of metrics, which it adds up. */
  readonly log: Log;
  /** Writes the sums in one line, and more than 100 values of a time in further lines. Nothing if nothing was counted. */
  flush(): void;
}

/** Collects what a batch counts: a line for each delivery would cost as much as a write to the table. */
export function collectMetrics(log: Log): CollectedMetrics {
  const counts = new Map<string, number>();
  const latencies: number[] = [];
  return {
    log(line) {
      if (line.event !== "metrics.counted") return log(line);
      const { DeliveryLatency: times = [], ...others } = line.metrics;
      latencies.push(...(typeof times === "number" ? [times] : times));
      for (const [name, count] of Object.entries(others)) counts.set(name, (counts.get(name) ?? 0) + count);
    },
    flush() {
      let metrics: Metrics = Object.fromEntries(counts);
      counts.clear();
      do {
        const [first, ...more] = latencies.splice(0, VALUES_MAX);
        if (first !== undefined)
          metrics = { ...metrics, DeliveryLatency: more.length === 0 ? first : [first, ...more] };
        if (Object.keys(metrics).length > 0) log({ event: "metrics.counted", metrics });
        metrics = {};
      } while (latencies.length > 0);
    },
  };
}
