import { Duration } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";

/** How often a message is tried before it is a dead letter. */
const RECEIVES_MAX = 5;

/** A batch may be received again only after every retry of its invocation is over: AWS asks for six timeouts. */
const TIMEOUTS_UNTIL_VISIBLE = 6;

export interface QueuePairProps {
  /** The timeout of the function that reads the queue. */
  readonly workerTimeout: Duration;
  /** The timeout of the function that reads the dead letters. */
  readonly deadLetterTimeout: Duration;
  readonly retention: Duration;
}

/** A queue and the queue of its dead letters, which waits up to 14 days. */
export class QueuePair extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: QueuePairProps) {
    super(scope, id);
    this.deadLetters = new Queue(this, "DeadLetterQueue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
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
