import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { vi } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { DeliveryRow } from "#features/delivery/store/delivery-items.ts";
import { unscheduledDeliveries } from "../invariants/unscheduled-deliveries.ts";
import { answerOf } from "../processes/work-left.ts";
import type { TestEnv, TestQueues } from "./test-env.ts";

/** A function behind a queue. */
export type QueueWorker = (
  event: SQSEvent,
  invocation: { getRemainingTimeInMillis(): number },
) => Promise<SQSBatchResponse>;

/** Receives at most ten visible messages, in the form that a function gets. */
export async function receiveBatch(sqs: SQSClient, url: string): Promise<SQSRecord[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 0,
      MessageSystemAttributeNames: ["All"],
    }),
  );
  return Messages.map((message) => toSqsRecord(message, url));
}

/**
 * Runs a worker on one batch of a queue. Deletes the messages that it does not report; the others are redelivered.
 * @throws when the worker answers with a call to AWS in progress
 */
export async function invokeWorker(
  sqs: SQSClient,
  url: string,
  worker: QueueWorker,
  remainingMs = 60_000,
): Promise<{ records: SQSRecord[]; failed: string[] }> {
  const records = await receiveBatch(sqs, url);
  if (records.length === 0) return { records, failed: [] };
  const { batchItemFailures } = await answerOf(() =>
    worker({ Records: records }, { getRemainingTimeInMillis: () => remainingMs }),
  );
  const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  const succeeded = records.filter(({ messageId }) => !failed.includes(messageId));
  if (succeeded.length > 0) {
    const Entries = succeeded.map(({ messageId, receiptHandle }) => ({ Id: messageId, ReceiptHandle: receiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries }));
  }
  return { records, failed };
}

/** Runs a worker on one message that is not on a queue. @param receives how often it was received */
export async function invokeWithRecord(
  worker: QueueWorker,
  body: string,
  receives = 1,
  queueUrl = "queue",
): Promise<SQSBatchResponse> {
  const message = { MessageId: "m", Body: body, Attributes: { ApproximateReceiveCount: String(receives) } };
  return answerOf(() =>
    worker({ Records: [toSqsRecord(message, queueUrl)] }, { getRemainingTimeInMillis: () => 60_000 }),
  );
}

/**
 * Lets the time of an invocation pass until its worker reports what is unfinished. The test must use real timers again.
 * @param invoke invokes a worker that has 60 s
 * @param reached when its time passes
 */
export async function invokeUntilDeadline<T>(invoke: () => Promise<T>, reached: Promise<void>): Promise<T> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const answer = invoke();
  await reached;
  // It reports three seconds before its end, and waits half a second for calls in progress.
  await vi.advanceTimersByTimeAsync(57 * SECOND);
  await vi.advanceTimersByTimeAsync(SECOND / 2);
  return answer;
}

/** Receives every visible message; each is hidden until its visibility timeout ends. */
export async function receiveAllMessages(sqs: SQSClient, url: string): Promise<SQSRecord[]> {
  const all: SQSRecord[] = [];
  for (let batch = await receiveBatch(sqs, url); batch.length > 0; batch = await receiveBatch(sqs, url))
    all.push(...batch);
  return all;
}

/**
 * A tenant's deliveries that wait and that nothing will attempt. Reads the queues, so the clock advances by 16 minutes, after
 * which every message is visible, and each is hidden until its visibility timeout ends.
 */
export async function findUnscheduled(testEnv: TestEnv, queues: TestQueues, tenant: TenantId): Promise<DeliveryRow[]> {
  const now = testEnv.now();
  testEnv.advance(16 * MINUTE);
  const messages = [
    ...(await receiveAllMessages(testEnv.eventSource, queues.events)),
    ...(await receiveAllMessages(testEnv.eventSource, queues.deliveries)),
    ...(await receiveAllMessages(testEnv.eventSource, queues.slowDeliveries)),
  ];
  return unscheduledDeliveries({ table: testEnv.table, queued: messages.map(({ body }) => body), now, tenant });
}

/** The number of messages in a queue, in any state. */
export async function queueDepth(sqs: SQSClient, url: string): Promise<number> {
  const names = [
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesDelayed",
    "ApproximateNumberOfMessagesNotVisible",
  ] as const;
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...names] }),
  );
  return names.reduce((sum, name) => sum + Number(Attributes[name]), 0);
}

function toSqsRecord(message: Message, url: string): SQSRecord {
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    attributes: {
      ApproximateReceiveCount: message.Attributes?.ApproximateReceiveCount ?? "1",
      SentTimestamp: message.Attributes?.SentTimestamp ?? "",
      SenderId: message.Attributes?.SenderId ?? "",
      ApproximateFirstReceiveTimestamp: message.Attributes?.ApproximateFirstReceiveTimestamp ?? "",
      ...(message.Attributes?.MessageGroupId ? { MessageGroupId: message.Attributes.MessageGroupId } : {}),
    },
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? "",
    eventSource: "aws:sqs",
    eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${url.split("/").at(-1)}`,
    awsRegion: "us-east-1",
  };
}
