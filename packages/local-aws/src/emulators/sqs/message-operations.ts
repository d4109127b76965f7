import { z } from "zod";
import { SECOND } from "../../support/time.ts";
import { type Call, type Operation, operation } from "../json-service.ts";
import { ServiceError } from "../service-error.ts";
import { MESSAGE_BYTES_MAX, numericAttribute } from "./attributes.ts";
import { attempt, type BatchResponse, batchError, checkEntries, toBatchResponse } from "./batches.ts";
import { type Message, messageSize } from "./messages.ts";
import type { Queues } from "./queues.ts";
import { checkReceive, checkVisibility, type ReceiveInput, receiveInput, toReceivedMessage } from "./receiving.ts";
import { newMessage, type SendInput, sendInput, toSendResponse } from "./sending.ts";

const queueUrl = z.object({ QueueUrl: z.string() });
const receipt = z.object({ ReceiptHandle: z.string() });
const visibilityInput = receipt.extend({ VisibilityTimeout: z.number() });
const entry = z.object({ Id: z.string() });

/** A batch of `entries`. A missing list is an empty one. */
function batch<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>) {
  return queueUrl.extend({ Entries: z.array(schema.extend(entry.shape)).default([]) });
}

/** The operations on messages. */
export function messageOperations(queues: Queues): Record<string, Operation> {
  return {
    SendMessage: operation(queueUrl.extend(sendInput.shape), (input) => {
      const queue = queues.get(input.QueueUrl);
      const message = newMessage(input, queue.settings.attributes, queues.now());
      queues.record({ op: "send", queue: queue.name, messages: [message] });
      queue.add([message]);
      return toSendResponse(message);
    }),
    SendMessageBatch: operation(batch(sendInput), (input) => sendBatch(queues, input.QueueUrl, input.Entries)),
    ReceiveMessage: operation(receiveInput, (input, call) => receive(queues, input, call)),
    DeleteMessage: operation(queueUrl.extend(receipt.shape), (input) => {
      const [refusal] = queues.get(input.QueueUrl).remove([input.ReceiptHandle]);
      if (refusal) throw refusal;
    }),
    DeleteMessageBatch: operation(batch(receipt), (input) => {
      const queue = queues.get(input.QueueUrl);
      checkEntries(input.Entries);
      const outcomes = queue.remove(input.Entries.map((one) => one.ReceiptHandle));
      return toBatchResponse(
        input.Entries,
        outcomes.map((refusal) => refusal ?? {}),
      );
    }),
    ChangeMessageVisibility: operation(queueUrl.extend(visibilityInput.shape), (input) => {
      changeVisibility(queues, input.QueueUrl, input);
    }),
    ChangeMessageVisibilityBatch: operation(batch(visibilityInput), (input) => {
      checkEntries(input.Entries);
      const outcomes = input.Entries.map((one) => attempt(() => changeVisibility(queues, input.QueueUrl, one)));
      return toBatchResponse(input.Entries, outcomes);
    }),
  };
}

/** The valid entries of a batch are written to disk and added to the queue together. */
function sendBatch(queues: Queues, url: string, entries: readonly (SendInput & { Id: string })[]): BatchResponse {
  const queue = queues.get(url);
  checkEntries(entries);
  const size = entries.reduce((sum, one) => sum + messageSize(one.MessageBody ?? "", one.MessageAttributes ?? {}), 0);
  if (size > MESSAGE_BYTES_MAX) {
    throw batchError(
      "BatchRequestTooLong",
      `Batch requests cannot be longer than ${MESSAGE_BYTES_MAX} bytes. You have sent ${size} bytes.`,
    );
  }
  const outcomes = entries.map((one) => attempt(() => newMessage(one, queue.settings.attributes, queues.now())));
  const messages = outcomes.filter((outcome): outcome is Message => !(outcome instanceof ServiceError));
  if (messages.length > 0) queues.record({ op: "send", queue: queue.name, messages });
  queue.add(messages);
  return toBatchResponse(
    entries,
    outcomes.map((outcome) => (outcome instanceof ServiceError ? outcome : toSendResponse(outcome))),
  );
}

async function receive(queues: Queues, input: ReceiveInput, call: Call): Promise<object> {
  const queue = queues.get(input.QueueUrl);
  const { attributes } = queue.settings;
  const {
    max,
    visibility = numericAttribute(attributes, "VisibilityTimeout"),
    wait = numericAttribute(attributes, "ReceiveMessageWaitTimeSeconds"),
  } = checkReceive(input);
  const messages = await queue.receive(max, visibility * SECOND, wait * SECOND, call.signal);
  return messages.length > 0 ? { Messages: messages.map((one) => toReceivedMessage(one, queue.name, input)) } : {};
}

function changeVisibility(queues: Queues, url: string, input: z.infer<typeof visibilityInput>): object {
  checkVisibility(input.VisibilityTimeout);
  queues.get(url).changeVisibility(input.ReceiptHandle, input.VisibilityTimeout * SECOND);
  return {};
}
