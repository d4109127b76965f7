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

/** A queue with shortcuts for the SDK calls of the tests. */
export interface TestQueue {
  readonly url: string;
  send(body: string, input?: Partial<SendMessageCommandInput>): Promise<void>;
  receive(input?: Partial<ReceiveMessageCommandInput>): Promise<Message[]>;
  delete(message: Message | undefined): Promise<void>;
  attribute(name: "QueueArn" | `ApproximateNumberOfMessages${"" | "NotVisible" | "Delayed"}`): Promise<string>;
}

export async function createTestQueue(sqs: SQSClient, name: string, attributes = {}): Promise<TestQueue> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  return openTestQueue(sqs, QueueUrl ?? "");
}

export function openTestQueue(sqs: SQSClient, url: string): TestQueue {
  return {
    url,
    async send(body, input = {}) {
      await sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body, ...input }));
    },
    async receive(input = {}) {
      const defaults = {
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ["All" as const],
        MessageAttributeNames: ["All"],
      };
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: url, ...defaults, ...input }));
      return Messages;
    },
    async delete(message) {
      await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message?.ReceiptHandle }));
    },
    async attribute(name) {
      const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [name] }));
      return Attributes?.[name] ?? "";
    },
  };
}

export function messageBodies(messages: readonly Message[]): string[] {
  return messages.map((message) => message.Body ?? "");
}

/** The policy that moves a message into `deadLetters` after `maxReceiveCount` receives. */
export async function redrivePolicy(deadLetters: TestQueue, maxReceiveCount: number | string): Promise<string> {
  return JSON.stringify({ deadLetterTargetArn: await deadLetters.attribute("QueueArn"), maxReceiveCount });
}
