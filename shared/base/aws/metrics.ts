import { DEFAULT_METRIC_NAMESPACE, type MetricName, type Metrics, metricUnits } from "../config/metrics.ts";
import { env } from "../config/names.ts";
import { clockNow } from "../kernel/time.ts";

/**
 * A line of CloudWatch's embedded metric format, from which CloudWatch makes the metrics without a request of the function. It
 * has the values and nothing else.
 */
export function embeddedMetrics(metrics: Metrics): Readonly<Record<string, unknown>> {
  const names = Object.keys(metrics) as MetricName[];
  return {
    _aws: {
      Timestamp: clockNow(),
      CloudWatchMetrics: [
        {
          Namespace: process.env[env.metricNamespace] || DEFAULT_METRIC_NAMESPACE,
          Dimensions: [[]],
          Metrics: names.map((Name) => ({ Name, Unit: metricUnits[Name] })),
        },
      ],
    },
    ...metrics,
  };
}
