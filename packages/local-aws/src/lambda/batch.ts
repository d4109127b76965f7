import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { REGION } from "../template/intrinsics.ts";

// The step from received messages to the event of a function, and from its answer to the messages that are deleted. The
// local stack makes it, and so do the tests in one process.

/** SQS's limit of the messages of one request. */
export const BATCH_MAX = 10;

interface Receive {
  readonly queueUrl: string;
  readonly max?: number;
  readonly waitSeconds?: number;
  readonly signal?: AbortSignal;
}

/** Makes one receive, with all that an event has of a message. */
export async function receiveMessages(
  sqs: SQSClient,
  { queueUrl, max = BATCH_MAX, waitSeconds = 0, signal }: Receive,
): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: max,
    WaitTimeSeconds: waitSeconds,
    MessageSystemAttributeNames: ["All"],
    MessageAttributeNames: ["All"],
  });
  const { Messages = [] } = await sqs.send(command, signal ? { abortSignal: signal } : {});
  return Messages;
}

/** A message as a function gets it. */
interface QueueRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: QueueAttributes;
  readonly messageAttributes: Record<string, never>;
  readonly md5OfBody: string;
  readonly eventSource: string;
  readonly eventSourceARN: string;
  readonly awsRegion: string;
}

/** The attributes that every message has, and further ones. */
type QueueAttributes = Record<
  "ApproximateReceiveCount" | "SentTimestamp" | "SenderId" | "ApproximateFirstReceiveTimestamp",
  string
>;

/** The event of received messages. Source: the SQS event of Lambda. */
export function toQueueEvent(messages: readonly Message[], queueArn: string): { Records: QueueRecord[] } {
  return { Records: messages.map((message) => toRecord(message, queueArn)) };
}

function toRecord(message: Message, queueArn: string): QueueRecord {
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(([name, attribute]) => [
    name,
    { dataType: attribute.DataType, stringValue: attribute.StringValue, stringListValues: [], binaryListValues: [] },
  ]);
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    attributes: (message.Attributes ?? {}) as QueueAttributes,
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: message.MD5OfBody ?? "",
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: REGION,
  };
}

/** The messages that the answer of a function does not report as failed. They are deleted, the others shown again. */
export function succeededMessages<M extends Message>(messages: readonly M[], result: unknown): M[] {
  const failedIds = parseBatchItemFailures(result, new Set(messages.map(({ MessageId = "" }) => MessageId)));
  return messages.filter(({ MessageId = "" }) => !failedIds.has(MessageId));
}

export async function deleteMessages(sqs: SQSClient, queueUrl: string, messages: readonly Message[]): Promise<void> {
  for (const part of splitIntoBatches(messages)) {
    const Entries = part.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}

/** The messages in parts that one batch request of SQS accepts. */
export function splitIntoBatches(messages: readonly Message[]): Message[][] {
  const starts = Array.from({ length: Math.ceil(messages.length / BATCH_MAX) }, (_, at) => at * BATCH_MAX);
  return starts.map((from) => messages.slice(from, from + BATCH_MAX));
}

/**
 * Parses a handler's result to the ids of the failed messages. No result or an empty list means success. A result of
 * another shape, or with an id outside the batch, fails the whole batch, as in Lambda.
 */
export function parseBatchItemFailures(result: unknown, messageIds: ReadonlySet<string>): ReadonlySet<string> {
  if (typeof result !== "object" || result === null) return result === null ? new Set() : messageIds;
  const failures = (result as { batchItemFailures?: unknown }).batchItemFailures;
  if (failures === undefined) return Object.keys(result).length === 0 ? new Set() : messageIds;
  if (failures === null) return new Set();
  if (!Array.isArray(failures)) return messageIds;
  const ids = failures.map((failure: { itemIdentifier?: unknown } | null) => failure?.itemIdentifier);
  return ids.every((id) => typeof id === "string" && messageIds.has(id)) ? new Set(ids as string[]) : messageIds;
}
