import { z } from "zod";
import { ServiceError } from "../service-error.ts";
import { VISIBILITY_SECONDS_MAX, WAIT_SECONDS_MAX } from "./attributes.ts";
import { encodeHandle } from "./handles.ts";
import { type Message, type MessageAttributes, md5OfAttributes, md5OfText, receiveCount } from "./messages.ts";

const RECEIVE_MAX = 10;

export const receiveInput = z.object({
  QueueUrl: z.string(),
  MaxNumberOfMessages: z.number().optional(),
  VisibilityTimeout: z.number().optional(),
  WaitTimeSeconds: z.number().optional(),
  AttributeNames: z.array(z.string()).optional(),
  MessageSystemAttributeNames: z.array(z.string()).optional(),
  MessageAttributeNames: z.array(z.string()).optional(),
});
export type ReceiveInput = z.infer<typeof receiveInput>;

/** The requested number of messages and the times in seconds that override the queue's. Throws if out of bounds. */
export function checkReceive(input: ReceiveInput): { max: number; visibility?: number; wait?: number } {
  const { MaxNumberOfMessages: max = 1, VisibilityTimeout: visibility, WaitTimeSeconds: wait } = input;
  checkBounds("MaxNumberOfMessages", max, 1, RECEIVE_MAX);
  if (visibility !== undefined) checkVisibility(visibility);
  if (wait !== undefined) checkBounds("WaitTimeSeconds", wait, 0, WAIT_SECONDS_MAX);
  return { max, ...(visibility === undefined ? {} : { visibility }), ...(wait === undefined ? {} : { wait }) };
}

export function checkVisibility(seconds: number): void {
  checkBounds("VisibilityTimeout", seconds, 0, VISIBILITY_SECONDS_MAX);
}

/** A message in the response format, with the requested attributes. */
export function toReceivedMessage(message: Message, queue: string, input: ReceiveInput): object {
  const requestedNames = new Set([...(input.MessageSystemAttributeNames ?? []), ...(input.AttributeNames ?? [])]);
  const system = Object.entries(systemAttributes(message)).filter(
    ([name]) => requestedNames.has("All") || requestedNames.has(name),
  );
  const messageAttributes = pickAttributes(message.attributes, input.MessageAttributeNames ?? []);
  return {
    MessageId: message.id,
    ReceiptHandle: encodeHandle({ queue, id: message.id, turn: message.turn }),
    MD5OfBody: md5OfText(message.body),
    Body: message.body,
    ...(system.length > 0 ? { Attributes: Object.fromEntries(system) } : {}),
    ...(Object.keys(messageAttributes).length > 0
      ? { MessageAttributes: messageAttributes, MD5OfMessageAttributes: md5OfAttributes(messageAttributes) }
      : {}),
  };
}

function systemAttributes(message: Message): Record<string, string> {
  return {
    SenderId: "AIDALOCAL",
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(receiveCount(message)),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    ...(message.groupId === null ? {} : { MessageGroupId: message.groupId }),
    ...(message.source === null ? {} : { DeadLetterQueueSourceArn: message.source }),
    ...(message.traceHeader === null ? {} : { AWSTraceHeader: message.traceHeader }),
  };
}

/** A pattern is a name, `All`, `.*`, or a prefix followed by `.*`. */
function pickAttributes(attributes: MessageAttributes, patterns: readonly string[]): MessageAttributes {
  const matches = (name: string): boolean =>
    patterns.some((pattern) => {
      if (pattern === "All" || pattern === name) return true;
      return pattern.endsWith(".*") && name.startsWith(pattern.slice(0, -2));
    });
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => matches(name)));
}

function checkBounds(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new ServiceError(
    "InvalidParameterValue",
    `Value ${value} for parameter ${name} is invalid. Reason: Must be between ${min} and ${max}, if provided.`,
  );
}
