import { Duration } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";

/**
 * A message becomes a dead letter after this many receives. With the waits of `functions/worker/redelivery.ts` that takes
 * 13 minutes, so a shorter outage needs no operator.
 */
const RECEIVES_MAX = 10;

/** AWS recommends a visibility timeout of six function timeouts, which covers the retries of an invocation. */
const TIMEOUTS_UNTIL_VISIBLE = 6;

export interface QueuePairProps {
  /** Timeout of the function that reads the queue. */
  readonly workerTimeout: Duration;
  /** Timeout of the function that reads the dead letters. */
  readonly deadLetterTimeout: Duration;
  readonly retention: Duration;
  /** From the first send of a message. Default: 14 days. */
  readonly deadLetterRetention?: Duration;
}

/** A queue and its dead letter queue. */
export class QueuePair extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: QueuePairProps) {
    super(scope, id);
    this.deadLetters = new Queue(this, "DeadLetterQueue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: props.deadLetterRetention ?? Duration.days(14),
      visibilityTimeout: times(props.deadLetterTimeout, TIMEOUTS_UNTIL_VISIBLE),
    });
    this.queue = new Queue(this, "Queue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: props.retention,
      visibilityTimeout: times(props.workerTimeout, TIMEOUTS_UNTIL_VISIBLE),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: RECEIVES_MAX },
    });
  }

  allowSending(role: IRole): void {
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.queue.queueArn] }));
  }
}

function times(duration: Duration, factor: number): Duration {
  return Duration.seconds(duration.toSeconds() * factor);
}
