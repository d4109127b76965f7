import { Duration } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { queueReaders, RECEIVES_MAX, visibilityTimeout } from "#base/config/function-times.ts";
import type { QueueName } from "#base/config/names.ts";

export interface QueuePairProps {
  readonly retention: Duration;
  /** From the first send of a message. Default: 14 days. */
  readonly deadLetterRetention?: Duration;
  /** Of one message. Default: what SQS allows. */
  readonly messageBytesMax?: number;
}

/** A queue and its dead letter queue. */
export class QueuePair extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: QueueName, props: QueuePairProps) {
    super(scope, id);
    this.deadLetters = new Queue(this, "DeadLetterQueue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: props.deadLetterRetention ?? Duration.days(14),
      ...(props.messageBytesMax ? { maxMessageSizeBytes: props.messageBytesMax } : {}),
      visibilityTimeout: Duration.millis(visibilityTimeout("DeadLetters")),
    });
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
