import { Duration } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
  Unit,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { FilterPattern } from "aws-cdk-lib/aws-logs";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import type { MetricName } from "#base/config/metrics.ts";
import { backgroundQueues, type QueueName } from "#base/config/names.ts";
import { DEFAULT_STAGE } from "../../config/stack-names.ts";
import type { HttpApi } from "../http-api.ts";
import type { NodeFunction } from "../node-function.ts";
import type { QueuePair } from "../queue-pair.ts";
import {
  ACCOUNTS_NEED_ATTENTION,
  DEAD_LETTERS_ARRIVED,
  FUNCTION_ERRORS,
  GATEWAY_THROTTLED,
  POSTPONED_WEBHOOK_AGE,
  QUEUES_WAITING,
  WATCH_FINDINGS,
  WEBHOOKS_REFUSED,
} from "./alarm-metrics.ts";
import { logMetric, ownMetric } from "./log-metric.ts";

const PERIOD = Duration.minutes(5);
/** Of a queue whose messages are due at once. */
const LATE_MIN = Duration.minutes(5);
/** Of every other queue. Longer than the longest delay of a message, 15 minutes, and the retries after it. */
const BACKGROUND_LATE_MIN = Duration.minutes(30);
/** Longer than the longest time between two receives of a webhook in an outage. */
const POSTPONED_PERIOD = Duration.minutes(20);
/** Anyone can send a webhook without a valid signature, so one is no sign of a wrong secret. */
const REFUSED_WEBHOOKS_MAX = 10;
const INSPECT_HINT = "List it with: npm run admin -- dlq list";

export interface AlarmsProps {
  readonly stage: string;
  readonly gateway: HttpApi;
  readonly functions: readonly NodeFunction[];
  readonly sweep: IFunction;
  /** The workers of the busiest queues, which are the first that the account's limit of concurrency stops. */
  readonly busiest: readonly IFunction[];
  readonly pairs: readonly QueuePair[];
  /** The queues whose messages are due at once: a message that waits long raises an alarm. */
  readonly lowLatency: readonly QueuePair[];
  /** The SNS topic to notify, or null for none. */
  readonly topicArn: string | null;
}

interface AlarmOptions {
  readonly metric: IMetric;
  readonly threshold: number;
  readonly alarmDescription: string;
  /** Default: the alarm fires above the threshold, and missing data is well. */
  readonly firesBelow?: boolean;
  /** How many of how many periods. Default: 1 of 1. */
  readonly periods?: readonly [alarming: number, evaluated: number];
}

/**
 * The operator's alarms. docs/operate/monitoring.md explains each of them. AWS bills an alarm by its metrics, so one that
 * watches many functions watches one metric that the log lines of all of them have.
 */
export class Alarms extends Construct {
  readonly #topic: SnsAction | null;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { stage, sweep } = props;
    this.#topic = props.topicArn === null ? null : new SnsAction(Topic.fromTopicArn(this, "Topic", props.topicArn));
    const counted = (name: string, period = PERIOD) => ownMetric(stage, name, { period, statistic: Stats.SUM });

    for (const fn of props.functions) {
      logMetric(fn, FUNCTION_ERRORS, {
        stage,
        name: FUNCTION_ERRORS,
        logGroup: fn.logGroup,
        // With the system log level WARN, Lambda writes the report of an invocation only when it did not succeed.
        pattern: FilterPattern.all(
          FilterPattern.stringValue("$.type", "=", "platform.report"),
          FilterPattern.stringValue("$.record.status", "!=", "success"),
        ),
        unit: Unit.COUNT,
      });
    }
    this.#alarm("FunctionErrors", {
      metric: counted(FUNCTION_ERRORS),
      threshold: 0,
      alarmDescription: "Parley: a function crashed or timed out.",
    });
    // Lambda does not count a 500 response as an error of the function.
    this.#alarm("ServerErrors", {
      metric: props.gateway.serverErrors(PERIOD),
      threshold: 0,
      alarmDescription: "Parley: the API returned a 5xx response.",
    });
    this.#alarm("SweepStopped", {
      metric: sweep.metricInvocations({ period: PERIOD }),
      threshold: 1,
      alarmDescription: "Parley: the sweep of each minute has not run for ten minutes.",
      firesBelow: true,
      periods: [2, 2],
    });
    this.#alarm("FunctionsThrottled", {
      metric: sum(props.busiest.map((fn) => fn.metricThrottles({ period: PERIOD }))),
      threshold: 0,
      alarmDescription: "Parley: Lambda throttled a worker. The account's limit of concurrent functions is reached.",
    });
    this.#alarm("TableThrottled", {
      // AWS has two metrics of throttles for the table and two for each index. The functions count those of all.
      metric: counted("TableThrottles" satisfies MetricName),
      threshold: 0,
      alarmDescription: "Parley: DynamoDB throttled requests to the table or an index.",
    });
    this.#alarm("GatewayThrottled", {
      metric: counted(GATEWAY_THROTTLED),
      threshold: 0,
      alarmDescription: "Parley: the gateway refused requests with 429, because they exceeded a throttle.",
    });
    this.#alarm("WebhooksRefused", {
      metric: counted(WEBHOOKS_REFUSED, Duration.hours(1)),
      threshold: REFUSED_WEBHOOKS_MAX,
      alarmDescription: `Parley: more than ${REFUSED_WEBHOOKS_MAX} webhooks in an hour were refused, for their signature or verify token.`,
    });
    this.#alarm("AccountsNeedAttention", {
      metric: counted(ACCOUNTS_NEED_ATTENTION, Duration.days(1)),
      threshold: 0,
      alarmDescription:
        "Parley: a check found accounts that a person must connect again, or that the platform restricts.",
    });
    this.#alarm("DeadLetterArrived", {
      metric: counted(DEAD_LETTERS_ARRIVED),
      threshold: 0,
      alarmDescription: `Parley: a message failed ten times and was stored as a dead letter. ${INSPECT_HINT}${stageFlag(stage)}`,
    });
    this.#alarm("WatchFindings", {
      metric: counted(WATCH_FINDINGS),
      threshold: 0,
      alarmDescription:
        "Parley: the KMS key is unusable (key.unusable in the log of Sweep), or dead letters could not be stored (dead_letters.waiting).",
      // The next run of the sweep stores what one could not, and two may be in one period.
      periods: [2, 3],
    });
    for (const { node, queue } of props.pairs) {
      const name = node.id as QueueName;
      if ((backgroundQueues as readonly QueueName[]).includes(name)) continue;
      const age = props.lowLatency.some((pair) => pair.node === node) ? LATE_MIN : BACKGROUND_LATE_MIN;
      this.#alarm(`${name}Late`, {
        metric: queue.metricApproximateAgeOfOldestMessage({ period: PERIOD }),
        threshold: age.toSeconds(),
        alarmDescription: `Parley: the oldest message of ${name} is more than ${age.toMinutes()} minutes old.`,
      });
    }
    const looks = BACKGROUND_LATE_MIN.toMinutes() / PERIOD.toMinutes();
    this.#alarm("BackgroundLate", {
      metric: counted(QUEUES_WAITING),
      threshold: 0,
      alarmDescription:
        `Parley: for ${BACKGROUND_LATE_MIN.toMinutes()} minutes, each look found messages that no worker had received in one of ` +
        `${backgroundQueues.join(", ")}. queue.waiting in the log of Sweep names it.`,
      // Looks and periods are not in step: one period in six may have no look.
      periods: [looks - 1, looks],
    });
    this.#alarm("WebhooksPostponed", {
      metric: ownMetric(stage, POSTPONED_WEBHOOK_AGE, {
        statistic: Stats.MAXIMUM,
        unit: Unit.MILLISECONDS,
        period: POSTPONED_PERIOD,
      }),
      threshold: LATE_MIN.toMilliseconds(),
      alarmDescription: `Parley: in an outage a webhook, or its raw copy, has waited for more than ${LATE_MIN.toMinutes()} minutes.`,
    });
  }

  #alarm(id: string, { firesBelow = false, periods: [alarming, evaluated] = [1, 1], ...options }: AlarmOptions): void {
    const alarm = new Alarm(this, id, {
      ...options,
      comparisonOperator: firesBelow
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: evaluated,
      ...(alarming === evaluated ? {} : { datapointsToAlarm: alarming }),
      treatMissingData: firesBelow ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    if (this.#topic !== null) alarm.addAlarmAction(this.#topic);
  }
}

/** What a command needs to find the stage. */
function stageFlag(stage: string): string {
  return stage === DEFAULT_STAGE ? "" : ` --stage ${stage}`;
}

/** The sum of metrics, of which those without data count as 0. */
function sum(metrics: readonly IMetric[]): MathExpression {
  const named = metrics.map((metric, index) => [`m${index}`, metric] as const);
  return new MathExpression({
    expression: named.map(([name]) => `FILL(${name}, 0)`).join(" + "),
    usingMetrics: Object.fromEntries(named),
    period: PERIOD,
  });
}
