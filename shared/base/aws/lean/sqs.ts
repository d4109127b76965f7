import { createHash } from "node:crypto";
import { type ClientOptions, commandClass, LeanClient } from "./client.ts";
import { jsonRpc } from "./json-rpc.ts";

type Message = { readonly Id?: string; readonly MessageBody?: string };
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
    if (operation === "SendMessage") requireBody(input as Message, output as Sent);
    if (operation === "SendMessageBatch") {
      const messages = new Map((input as { Entries: Message[] }).Entries.map((entry) => [entry.Id, entry]));
      for (const sent of (output.Successful ?? []) as Sent[]) requireBody(messages.get(sent.Id) ?? {}, sent);
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
function requireBody({ MessageBody = "" }: Message, { MD5OfMessageBody }: Sent): void {
  if (createHash("md5").update(MessageBody).digest("hex") !== MD5OfMessageBody) throw new Error("InvalidChecksumError");
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
