// Loaded with `--import` before a command: appends to the file RECORDED_CALLS the action of IAM that each of its calls to AWS
// needs, and what it is for, as lib/config/operator-rights.ts names both: `dynamodb:Query GS1`.

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQSClient } from "@aws-sdk/client-sqs";
import { env, queues, queueUrlNames } from "#base/config/names.ts";

interface SentCommand {
  readonly constructor: { readonly name: string };
  readonly input: {
    readonly TransactItems?: readonly object[];
    readonly IndexName?: string;
    readonly Bucket?: string;
    readonly Key?: unknown;
    readonly Delete?: { readonly Objects: readonly { readonly Key: string }[] };
    readonly EncryptionContext?: { readonly purpose?: string };
    readonly SecretId?: string;
    readonly QueueUrl?: string;
  };
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

const environment = JSON.parse(
  readFileSync(join(process.env.PARLEY_DATA ?? "", "environment.json"), "utf8"),
) as Readonly<Record<string, string>>;
/** The targets by their names or URLs on the local stack. */
const targets: Readonly<Record<string, string>> = Object.fromEntries([
  [environment[env.journalBucket], "journal"],
  [environment[env.uploadBucket], "uploads"],
  [environment[env.rootSecretId], "rootSecret"],
  [environment[env.platformSecretId], "platformSecret"],
  ...queues.map((name) => [environment[env[queueUrlNames[name]]], name]),
]);

function targetOf({ IndexName, Bucket, Key, Delete, EncryptionContext, SecretId, QueueUrl }: SentCommand["input"]) {
  const key = Key ?? Delete?.Objects[0]?.Key;
  if (Bucket !== undefined) return `${targets[Bucket]}${typeof key === "string" ? `/${key.split("/")[0]}` : ""}`;
  const named = SecretId ?? QueueUrl;
  return named === undefined ? (IndexName ?? EncryptionContext?.purpose ?? "table") : (targets[named] ?? named);
}

// What all clients have in common.
const base = Object.getPrototypeOf(SQSClient.prototype) as AnyClient;
const { send } = base;
base.send = function (this: AnyClient, command, ...rest) {
  const { TransactItems } = command.input;
  const parts = TransactItems?.flatMap((item) => Object.keys(item)) ?? [
    command.constructor.name.replace(/Command$/, ""),
  ];
  const { serviceId } = this.config;
  const target = targetOf(command.input);
  const lines = parts.map((part) => `${prefixes[serviceId] ?? serviceId}:${actions[part] ?? part} ${target}\n`);
  appendFileSync(process.env.RECORDED_CALLS ?? "", lines.join(""));
  return send.call(this, command, ...rest);
};
