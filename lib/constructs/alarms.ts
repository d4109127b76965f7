import { Duration } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { HttpApi } from "./http-api.ts";
import type { QueuePair } from "./queue-pair.ts";

const PERIOD = Duration.minutes(5);
const MESSAGE_AGE_MAX = Duration.minutes(5);
const INSPECT_HINT = "See it with: npm run admin -- dlq list";

export interface AlarmsProps {
  readonly gateway: HttpApi;
  readonly functions: readonly IFunction[];
  readonly deadLetters: IFunction;
  readonly pairs: readonly QueuePair[];
  /** The queues in which nothing should wait long: their messages are due at once. */
  readonly lowLatency: readonly QueuePair[];
  /** The SNS topic to notify, or null for none. */
  readonly topicArn: string | null;
}

/** What an operator should hear of. docs/operate/monitoring.md says what each one means. */
export class Alarms extends Construct {
  readonly #topic: SnsAction | null;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.#topic = props.topicArn === null ? null : new SnsAction(Topic.fromTopicArn(this, "Topic", props.topicArn));

    for (const fn of props.functions) {
      const name = fn.node.id;
      this.#above(`${name}Errors`, fn.metricErrors({ period: PERIOD }), 0, `Parley: ${name} crashed or timed out.`);
    }
    // A function that answers 500 has not failed as Lambda sees it.
    this.#above("ServerErrors", props.gateway.serverErrors(PERIOD), 0, "Parley: a request was answered with a 5xx.");
    // The function empties the dead letter queues within seconds, so it is its running that tells of a dead letter.
    this.#above(
      "DeadLetterArrived",
      props.deadLetters.metricInvocations({ period: PERIOD }),
      0,
      `Parley: a message could not be processed in five tries and was set aside in the table. ${INSPECT_HINT}`,
    );
    for (const { node, deadLetters } of props.pairs) {
      this.#above(
        `${node.id}DeadLettersWaiting`,
        visibleMessages(deadLetters),
        0,
        `Parley: dead letters of ${node.id} wait in their queue and are not being set aside: dlq list does not show them.`,
      );
    }
    for (const { node, queue } of props.lowLatency) {
      this.#above(
        `${node.id}Late`,
        queue.metricApproximateAgeOfOldestMessage({ period: PERIOD }),
        MESSAGE_AGE_MAX.toSeconds(),
        `Parley: the oldest message of ${node.id} has waited for more than ${MESSAGE_AGE_MAX.toMinutes()} minutes.`,
      );
    }
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

function visibleMessages(queue: Queue): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD });
}
