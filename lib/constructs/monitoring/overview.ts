import { Duration } from "aws-cdk-lib";
import { Dashboard, GraphWidget, type IMetric, type IWidget, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { MetricName } from "#base/config/metrics.ts";
import type { HttpApi } from "../http-api.ts";
import type { QueuePair } from "../queue-pair.ts";
import { ownMetric } from "./log-metric.ts";

const PERIOD = Duration.minutes(5);
/** Half of the width of a dashboard. */
const WIDTH = 12;

export interface OverviewProps {
  readonly stage: string;
  readonly gateway: HttpApi;
  readonly functions: readonly IFunction[];
  /** The functions whose throttles show. */
  readonly busiest: readonly IFunction[];
  readonly table: Pick<ITable, "metric">;
  readonly pairs: readonly QueuePair[];
}

/** The dashboard of the service. A dashboard of at most 50 metrics is free, as long as the account has no more than three. */
export class Overview extends Construct {
  constructor(scope: Construct, id: string, props: OverviewProps) {
    super(scope, id);
    const { stage, gateway, functions, busiest, table, pairs } = props;
    const counted = (name: MetricName) => ownMetric(stage, name, { period: PERIOD, statistic: Stats.SUM });
    const latency = (statistic: string) => ownMetric(stage, "DeliveryLatency", { period: PERIOD, statistic });
    const ofTable = (name: string) => table.metric(name, { period: PERIOD, statistic: Stats.SUM });
    const widgets: readonly IWidget[] = [
      graph("Messages", [counted("Accepted"), counted("Stored"), counted("Delivered")]),
      graph("From webhook to delivery, in milliseconds", [latency(Stats.p(50)), latency(Stats.p(99))]),
      graph("Trouble of receivers and platforms", [
        counted("Retries"),
        counted("CircuitsOpened"),
        counted("SendsRefused"),
        counted("HoldsCreated"),
        counted("Unreadable"),
      ]),
      graph("Requests", [gateway.requests(PERIOD), gateway.clientErrors(PERIOD), gateway.serverErrors(PERIOD)]),
      graph(
        "Errors of functions",
        functions.map((fn) => fn.metricErrors({ period: PERIOD, label: fn.node.id })),
      ),
      graph(
        "Oldest message of each queue, in seconds",
        pairs.map(({ node, queue }) => queue.metricApproximateAgeOfOldestMessage({ period: PERIOD, label: node.id })),
      ),
      graph(
        "Throttled functions",
        busiest.map((fn) => fn.metricThrottles({ period: PERIOD, label: fn.node.id })),
      ),
      graph("Table", [
        counted("TableThrottles"),
        ...["ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits"].map(ofTable),
      ]),
    ];
    const rows = Array.from({ length: widgets.length / 2 }, (_, row) => widgets.slice(2 * row, 2 * row + 2));
    new Dashboard(this, "Dashboard", { widgets: rows.map((row) => [...row]), defaultInterval: Duration.days(1) });
  }
}

function graph(title: string, left: readonly IMetric[]): IWidget {
  return new GraphWidget({ title, left: [...left], width: WIDTH });
}
