import { Duration } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Metric,
  Stats,
  TreatMissingData,
  Unit,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { DEFAULT_STAGE, metricNamespace } from "../config/stack-names.ts";
import type { HttpApi } from "./http-api.ts";
import type { QueuePair } from "./queue-pair.ts";

const PERIOD = Duration.minutes(5);
const MESSAGE_AGE_MAX = Duration.minutes(5);
/** Longer than the longest time between two receives of a webhook in an outage. */
const POSTPONED_PERIOD = Duration.minutes(20);
/** How old the webhooks are that wait for the end of an outage. */
export const POSTPONED_WEBHOOK_AGE = "PostponedWebhookAge";
const INSPECT_HINT = "List it with: npm run admin -- dlq list";

export interface AlarmsProps {
  readonly stage: string;
  readonly gateway: HttpApi;
  readonly functions: readonly IFunction[];
  readonly deadLetters: IFunction;
  readonly pairs: readonly QueuePair[];
  /** The queues whose messages are due at once: a message that waits long raises an alarm. */
  readonly lowLatency: readonly QueuePair[];
  /** The SNS topic to notify, or null for none. */
  readonly topicArn: string | null;
}

/** The operator's alarms. docs/operate/monitoring.md explains each of them. */
export class Alarms extends Construct {
  readonly #topic: SnsAction | null;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.#topic = props.topicArn === null ? null : new SnsAction(Topic.fromTopicArn(this, "Topic", props.topicArn));

    for (const fn of props.functions) {
      const name = fn.node.id;
      this.#above(`${name}Errors`, fn.metricErrors({ period: PERIOD }), 0, `Parley: ${name} crashed or timed out.`);
    }
    // Lambda does not count a 500 response as an error of the function.
    this.#above("ServerErrors", props.gateway.serverErrors(PERIOD), 0, "Parley: the API returned a 5xx response.");
    // The function empties the dead letter queues within seconds, so an invocation is the sign of a dead letter.
    this.#above(
      "DeadLetterArrived",
      props.deadLetters.metricInvocations({ period: PERIOD }),
      0,
      `Parley: a message failed ten times and was stored as a dead letter. ${INSPECT_HINT}${stageFlag(props.stage)}`,
    );
    for (const { node, deadLetters } of props.pairs) {
      this.#above(
        `${node.id}DeadLettersWaiting`,
        visibleMessages(deadLetters),
        0,
        `Parley: dead letters of ${node.id} remain in their queue, so dlq list does not show them.`,
      );
    }
    for (const { node, queue } of props.lowLatency) {
      this.#above(
        `${node.id}Late`,
        queue.metricApproximateAgeOfOldestMessage({ period: PERIOD }),
        MESSAGE_AGE_MAX.toSeconds(),
        `Parley: the oldest message of ${node.id} is more than ${MESSAGE_AGE_MAX.toMinutes()} minutes old.`,
      );
    }
    this.#above(
      "WebhooksPostponed",
      new Metric({
        namespace: metricNamespace(props.stage),
        metricName: POSTPONED_WEBHOOK_AGE,
        statistic: Stats.MAXIMUM,
        unit: Unit.MILLISECONDS,
        period: POSTPONED_PERIOD,
      }),
      MESSAGE_AGE_MAX.toMilliseconds(),
      `Parley: in an outage a webhook, or its raw copy, has waited for more than ${MESSAGE_AGE_MAX.toMinutes()} minutes.`,
    );
  }

  #above(id: string, metric: IMetric, threshold: number, alarmDescription: string): void {
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      alarmDescription,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (this.#topic !== null) alarm.addAlarmAction(this.#topic);
  }
}

/** What a command needs to find the stage. */
function stageFlag(stage: string): string {
  return stage === DEFAULT_STAGE ? "" : ` --stage ${stage}`;
}

function visibleMessages(queue: Queue): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD });
}
