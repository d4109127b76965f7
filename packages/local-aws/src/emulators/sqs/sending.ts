import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type Millis, SECOND } from "../../support/time.ts";
import { ServiceError } from "../service-error.ts";
import { type Attributes, DELAY_SECONDS_MAX, numericAttribute } from "./attributes.ts";
import { isBinary, type Message, md5OfAttributes, md5OfText, messageSize } from "./messages.ts";

const MESSAGE_ATTRIBUTES_MAX = 10;
const FORBIDDEN_CHARACTER = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

const attribute = z.object({
  DataType: z.string().regex(/^(String|Number|Binary)(\..+)?$/),
  StringValue: z.string().optional(),
  BinaryValue: z.string().optional(),
});

/** The input of SendMessage without the queue; also one entry of a batch. */
export const sendInput = z.object({
  MessageBody: z.string().optional(),
  DelaySeconds: z.number().optional(),
  MessageAttributes: z.record(z.string(), attribute).optional(),
  MessageSystemAttributes: z.record(z.string(), attribute).optional(),
  MessageGroupId: z.string().max(128).optional(),
});
export type SendInput = z.infer<typeof sendInput>;

/** Creates the message to store. Throws the ServiceError that SQS returns for invalid input. */
export function newMessage(input: SendInput, queue: Attributes, now: Millis): Message {
  const body = input.MessageBody ?? "";
  const attributes = input.MessageAttributes ?? {};
  if (body === "") throw new ServiceError("MissingParameter", "The request must contain the parameter MessageBody.");
  if (FORBIDDEN_CHARACTER.test(body)) {
    throw new ServiceError("InvalidMessageContents", "The message contains characters outside the allowed set.");
  }
  checkAttributes(attributes);
  checkDelay(input.DelaySeconds);
  const limit = numericAttribute(queue, "MaximumMessageSize");
  if (messageSize(body, attributes) > limit) {
    throw invalid(`One or more parameters are invalid. Reason: Message must be shorter than ${limit} bytes.`);
  }
  return {
    id: randomUUID(),
    body,
    attributes,
    traceHeader: input.MessageSystemAttributes?.AWSTraceHeader?.StringValue ?? null,
    groupId: input.MessageGroupId ?? null,
    sentAt: now,
    availableAt: now + (input.DelaySeconds ?? numericAttribute(queue, "DelaySeconds")) * SECOND,
    receives: 0,
    turn: 0,
    firstReceivedAt: null,
    hiddenUntil: null,
    source: null,
  };
}

export function toSendResponse(message: Message): object {
  const digest =
    Object.keys(message.attributes).length > 0 ? { MD5OfMessageAttributes: md5OfAttributes(message.attributes) } : {};
  return { MessageId: message.id, MD5OfMessageBody: md5OfText(message.body), ...digest };
}

function checkDelay(seconds: number | undefined): void {
  if (seconds === undefined || (Number.isInteger(seconds) && seconds >= 0 && seconds <= DELAY_SECONDS_MAX)) return;
  throw invalid(
    `Value ${seconds} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= ${DELAY_SECONDS_MAX}.`,
  );
}

function checkAttributes(attributes: Message["attributes"]): void {
  const all = Object.entries(attributes);
  if (all.length > MESSAGE_ATTRIBUTES_MAX) {
    throw invalid(
      `Number of message attributes [${all.length}] exceeds the allowed maximum [${MESSAGE_ATTRIBUTES_MAX}].`,
    );
  }
  for (const [name, one] of all) {
    if (!(isBinary(one) ? one.BinaryValue : one.StringValue)) {
      throw invalid(`Message attribute '${name}' with type '${one.DataType}' must use a non-empty value.`);
    }
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError("InvalidParameterValue", message);
}
