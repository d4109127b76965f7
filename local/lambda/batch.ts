import type { Message } from "@aws-sdk/client-sqs";
import { REGION } from "../template/intrinsics.ts";

/** A received message as a record of a Lambda event. Source: the SQS event of Lambda. */
export function toLambdaRecord(message: Message, queueArn: string): object {
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(([name, attribute]) => [
    name,
    { dataType: attribute.DataType, stringValue: attribute.StringValue, stringListValues: [], binaryListValues: [] },
  ]);
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: message.MD5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: REGION,
  };
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
