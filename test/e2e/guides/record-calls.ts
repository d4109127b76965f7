// Loaded with `--import` before a command: appends the actions of IAM that each of its calls to AWS needs to the file RECORDED_CALLS.

import { appendFileSync } from "node:fs";
import { SQSClient } from "@aws-sdk/client-sqs";

interface SentCommand {
  readonly constructor: { readonly name: string };
  readonly input: { readonly TransactItems?: readonly object[] };
}
interface AnyClient {
  readonly config: { readonly serviceId: string };
  send(command: SentCommand, ...rest: unknown[]): unknown;
}

const prefixes: Readonly<Record<string, string>> = {
  DynamoDB: "dynamodb",
  KMS: "kms",
  S3: "s3",
  SQS: "sqs",
  "Secrets Manager": "secretsmanager",
};
/** Commands whose action has another name. */
const actions: Readonly<Record<string, string>> = {
  Get: "GetItem",
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
  BatchGet: "BatchGetItem",
  BatchWrite: "BatchWriteItem",
  ListObjectsV2: "ListBucket",
  DeleteObjects: "DeleteObject",
  SendMessageBatch: "SendMessage",
};

// What all clients have in common.
const base = Object.getPrototypeOf(SQSClient.prototype) as AnyClient;
const { send } = base;
base.send = function (this: AnyClient, command, ...rest) {
  const { TransactItems } = command.input;
  const parts = TransactItems?.flatMap((item) => Object.keys(item)) ?? [
    command.constructor.name.replace(/Command$/, ""),
  ];
  const { serviceId } = this.config;
  const lines = parts.map((part) => `${prefixes[serviceId] ?? serviceId}:${actions[part] ?? part}\n`);
  appendFileSync(process.env.RECORDED_CALLS ?? "", lines.join(""));
  return send.call(this, command, ...rest);
};
