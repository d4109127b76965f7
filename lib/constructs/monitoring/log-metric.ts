import type { Duration } from "aws-cdk-lib";
import { Metric, type Unit } from "aws-cdk-lib/aws-cloudwatch";
import {
  FilterPattern,
  type IFilterPattern,
  type ILogGroup,
  type JsonPattern,
  MetricFilter,
} from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { metricNamespace } from "../../config/stack-names.ts";

export interface LogMetricProps {
  readonly stage: string;
  readonly name: string;
  readonly logGroup: ILogGroup;
  readonly pattern: IFilterPattern;
  /** A field of the line, such as `$.messages`. Default: each line counts one. */
  readonly value?: string;
  readonly unit: Unit;
}

/**
 * A metric of the log lines that match. CloudWatch bills it for the hours in which a line matches, so a metric of what goes wrong
 * costs nothing while all is well. Several groups may have the same metric.
 */
export function logMetric(scope: Construct, id: string, props: LogMetricProps): void {
  new MetricFilter(scope, id, {
    logGroup: props.logGroup,
    filterPattern: props.pattern,
    metricNamespace: metricNamespace(props.stage),
    metricName: props.name,
    metricValue: props.value ?? "1",
    unit: props.unit,
  });
}

/** The lines with this value of `event`. */
export function eventPattern(event: string): JsonPattern {
  return FilterPattern.stringValue("$.event", "=", event);
}

/** A metric of `logMetric`, or one that the functions embed in their log. */
export function ownMetric(
  stage: string,
  metricName: string,
  options: { readonly period: Duration; readonly statistic: string; readonly unit?: Unit },
): Metric {
  return new Metric({ namespace: metricNamespace(stage), metricName, ...options });
}
