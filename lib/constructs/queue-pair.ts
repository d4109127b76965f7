import { Duration } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { DEAD_LETTER_VISIBILITY, queueReaders, RECEIVES_MAX, visibilityTimeout } from "#base/config/function-times.ts";
import type { QueueName } from "#base/config/names.ts";

/** What SQS allows. A dead letter keeps the size that its queue allowed. */
const MESSAGE_BYTES_MAX = 1024 * 1024;

export interface QueuePairProps {
  /** The dead letter queue that it has in common with others. Null: it has its own. */
  readonly deadLetters: Queue | null;
  readonly retention: Duration;
  /** From the first send of a message, in an own dead letter queue. Default: 14 days. */
  readonly deadLetterRetention?: Duration;
  /** Of one message. Default: what SQS allows. */
  readonly messageBytesMax?: number;
}

/**
 * The dead letter queue of all queues. It keeps a message 14 days from its first send, because a queue keeps one as long:
 * after a shorter time, what waited in its queue would be gone when it becomes a dead letter.
 */
export function createSharedDeadLetters(scope: Construct): Queue {
  return createDeadLetters(scope, { messageBytesMax: MESSAGE_BYTES_MAX });
}

function createDeadLetters(
  scope: Construct,
  {
    deadLetterRetention = Duration.days(14),
    messageBytesMax,
  }: Pick<QueuePairProps, "deadLetterRetention" | "messageBytesMax">,
): Queue {
  return new Queue(scope, "DeadLetterQueue", {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: deadLetterRetention,
    ...(messageBytesMax ? { maxMessageSizeBytes: messageBytesMax } : {}),
    visibilityTimeout: Duration.millis(DEAD_LETTER_VISIBILITY),
  });
}

/** A queue and its dead letter queue, which other queues may have, too. */
export class QueuePair extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: QueueName, props: QueuePairProps) {
    super(scope, id);
    this.deadLetters = props.deadLetters ?? createDeadLetters(this, props);
    this.queue = new Queue(this, "Queue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: props.retention,
      ...(props.messageBytesMax ? { maxMessageSizeBytes: props.messageBytesMax } : {}),
      visibilityTimeout: Duration.millis(visibilityTimeout(queueReaders[id])),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: RECEIVES_MAX },
    });
  }

  allowSending(role: IRole): void {
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [this.queue.queueArn] }));
  }
}
