import { createHash } from "node:crypto";
import { type ClientOptions, commandClass, LeanClient } from "./client.ts";
import { jsonRpc } from "./json-rpc.ts";

type Message = { readonly Id?: string; readonly MessageBody?: string };
type Received = { readonly MessageId?: string; readonly Body?: string; readonly MD5OfBody?: string };
type Sent = { readonly Id?: string; readonly MD5OfMessageBody?: string };

const protocol = jsonRpc({
  service: "sqs",
  clientName: "SQSClient",
  version: "1.0",
  target: "AmazonSQS",
  headers: { "x-amzn-query-mode": "true" },
  // A queue may be of another region.
  originOf: ({ QueueUrl }) => (typeof QueueUrl === "string" ? new URL(QueueUrl).origin : undefined),
  encodeBody: ({ input }) => JSON.stringify(input),
  decodeBody(output, { operation, input }) {
    if (operation === "SendMessage") requireMessage(input as Message, output as Sent);
    if (operation === "ReceiveMessage") requireBodies((output.Messages ?? []) as Received[]);
    if (operation === "SendMessageBatch") {
      const messages = new Map((input as { Entries: Message[] }).Entries.map((entry) => [entry.Id, entry]));
      for (const sent of (output.Successful ?? []) as Sent[]) requireMessage(messages.get(sent.Id) ?? {}, sent);
    }
    return output;
  },
  /** The error's name before SQS had this protocol, which the SDK gives as `Code`. */
  decodeErrorBody(fields, { headers: { "x-amzn-query-error": old } }) {
    if (typeof old !== "string") return fields;
    const [Code, Type] = old.split(";");
    return { ...fields, Code, Type };
  },
});

/** @throws Error when the queue has another text than was sent */
function requireMessage({ MessageBody = "" }: Message, { MD5OfMessageBody }: Sent): void {
  if (md5Of(MessageBody) !== MD5OfMessageBody) throw new Error("InvalidChecksumError");
}

/** @throws Error when other texts arrived than the queue has */
function requireBodies(messages: readonly Received[]): void {
  const changed = messages.filter(({ Body = "", MD5OfBody }) => md5Of(Body) !== MD5OfBody);
  if (changed.length === 0) return;
  throw new Error(`Invalid MD5 checksum on messages: ${changed.map(({ MessageId }) => MessageId).join(", ")}`);
}

function md5Of(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

/** Instead of `SQSClient` of @aws-sdk/client-sqs. */
export class SQSClient extends LeanClient {
  constructor(options?: ClientOptions) {
    super(protocol, options);
  }
}

export class SendMessageCommand extends commandClass("SendMessage") {}
export class SendMessageBatchCommand extends commandClass("SendMessageBatch") {}
export class ChangeMessageVisibilityBatchCommand extends commandClass("ChangeMessageVisibilityBatch") {}
export class GetQueueAttributesCommand extends commandClass("GetQueueAttributes") {}
export class GetQueueUrlCommand extends commandClass("GetQueueUrl") {}
export class ReceiveMessageCommand extends commandClass("ReceiveMessage") {}
export class DeleteMessageBatchCommand extends commandClass("DeleteMessageBatch") {}
