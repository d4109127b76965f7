import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  type SendMessageCommandInput,
  type SQSClient,
} from "@aws-sdk/client-sqs";

/** A queue as tests speak to it, through the SDK. */
export interface TestQueue {
  readonly url: string;
  send(body: string, more?: Partial<SendMessageCommandInput>): Promise<void>;
  receive(more?: Partial<ReceiveMessageCommandInput>): Promise<Message[]>;
  remove(message: Message | undefined): Promise<void>;
  attribute(name: "QueueArn" | `ApproximateNumberOfMessages${"" | "NotVisible" | "Delayed"}`): Promise<string>;
}

export async function makeQueue(sqs: SQSClient, name: string, attributes = {}): Promise<TestQueue> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  return queueAt(sqs, QueueUrl ?? "");
}

export function queueAt(sqs: SQSClient, url: string): TestQueue {
  return {
    url,
    async send(body, more = {}) {
      await sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body, ...more }));
    },
    async receive(more = {}) {
      const all = {
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ["All" as const],
        MessageAttributeNames: ["All"],
      };
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: url, ...all, ...more }));
      return Messages;
    },
    async remove(message) {
      await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message?.ReceiptHandle }));
    },
    async attribute(name) {
      const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [name] }));
      return Attributes?.[name] ?? "";
    },
  };
}

export function bodies(messages: readonly Message[]): string[] {
  return messages.map((message) => message.Body ?? "");
}

/** The policy that moves a message into `deadLetters` after `maxReceiveCount` receives. */
export async function redriveTo(deadLetters: TestQueue, maxReceiveCount: number | string): Promise<string> {
  return JSON.stringify({ deadLetterTargetArn: await deadLetters.attribute("QueueArn"), maxReceiveCount });
}
