import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { expect, vi } from "vitest";
import { FIRST_EVENT_WAIT } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { DeliveryRow } from "#features/delivery/store/items.ts";
import { deleteMessages, receiveMessages, succeededMessages, toQueueEvent } from "#local-aws/lambda/batch.ts";
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
  return toQueueEvent(await receiveMessages(sqs, { queueUrl: url }), toQueueArn(url)).Records;
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
  const messages = await receiveMessages(sqs, { queueUrl: url });
  const event = toQueueEvent(messages, toQueueArn(url));
  if (messages.length === 0) return { records: [], failed: [] };
  const answer = await answerOf(() => worker(event, { getRemainingTimeInMillis: () => remainingMs }));
  await deleteMessages(sqs, url, succeededMessages(messages, answer));
  return { records: event.Records, failed: answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) };
}

/** Runs a worker on one message that is not on a queue. @param receives how often it was received */
export async function invokeWithRecord(
  worker: QueueWorker,
  body: string,
  receives = 1,
  queueUrl = "queue",
): Promise<SQSBatchResponse> {
  const Attributes = { ApproximateReceiveCount: String(receives), SentTimestamp: "" };
  const event = toQueueEvent([{ MessageId: "m", Body: body, Attributes }], toQueueArn(queueUrl));
  return answerOf(() => worker(event, { getRemainingTimeInMillis: () => 60_000 }));
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

/** The events queue of a test, and what turns its clock. */
type EventsQueue = readonly [testEnv: Pick<TestEnv, "eventSource" | "advance">, queues: Pick<TestQueues, "events">];

/** Lets the wait of the queued events for the names of their people pass, if any waits. */
export async function passNameWaits(...[testEnv, { events }]: EventsQueue): Promise<void> {
  if ((await delayedMessages(testEnv.eventSource, events)) > 0) testEnv.advance(FIRST_EVENT_WAIT);
}

/** Receives every event of the queue, also those that wait for the name of their person. */
export async function receiveEvents(...[testEnv, queues]: EventsQueue): Promise<SQSRecord[]> {
  await passNameWaits(testEnv, queues);
  return receiveAllMessages(testEnv.eventSource, queues.events);
}

/** The number of messages that a queue delays. */
export async function delayedMessages(sqs: SQSClient, url: string): Promise<number> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["ApproximateNumberOfMessagesDelayed"] }),
  );
  return Number(Attributes.ApproximateNumberOfMessagesDelayed);
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

/**
 * Runs a worker again and again until its queue has no message in any state.
 * @param run runs it once
 * @param wait before each run: longer than the visibility timeout of what it does not delete
 * @param runsMax the most runs; one more fails the test
 */
export async function runUntilEmpty(
  testEnv: Pick<TestEnv, "eventSource" | "advance">,
  queueUrl: string,
  run: () => Promise<unknown>,
  { wait = 31 * SECOND, runsMax = 4 } = {},
): Promise<void> {
  for (let runs = 0; (await queueDepth(testEnv.eventSource, queueUrl)) > 0; runs++) {
    expect(runs).toBeLessThan(runsMax);
    testEnv.advance(wait);
    await run();
  }
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

/** The ARN of a local queue. */
export function toQueueArn(url: string): string {
  return `arn:aws:sqs:us-east-1:000000000000:${url.split("/").at(-1)}`;
}
