import type { FunctionName as FunctionId } from "#base/config/names.ts";
import { writesOf } from "../../functions/support/written-keys.ts";
import type { FaultyOperation } from "../../support/faults.ts";
import { currentProcess } from "../../support/world/processes.ts";
import { type FunctionName, functionIds } from "./functions.ts";

/** What the functions of all histories of this process needed. */
export const usedPermissions: ReadonlyMap<FunctionId, Set<string>> = new Map(
  Object.values(functionIds).map((name) => [name, new Set<string>()]),
);

/** Notes the permissions that a call of a function needs. */
export function recordPermissions({ client, command, input }: FaultyOperation): void {
  const [name] = currentProcess()?.name.split(" ") ?? [];
  if (name === undefined) return;
  const used = usedPermissions.get(functionIds[name as FunctionName]);
  for (const permission of requiredPermissions(client, command, input as Input)) used?.add(permission);
}

interface Input {
  readonly IndexName?: string;
  readonly QueueUrl?: string;
  readonly QueueName?: string;
  readonly Bucket?: string;
  readonly Key?: string;
  /** `<bucket>/<key>` */
  readonly CopySource?: string;
  readonly Delete?: { readonly Objects: readonly { readonly Key: string }[] };
  readonly SecretId?: string;
  readonly EncryptionContext?: { readonly purpose: string };
}

/** The actions whose names are not those of their operations. */
const actions: Readonly<Record<string, string>> = {
  ConditionCheck: "ConditionCheckItem",
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  SendMessageBatch: "SendMessage",
  DeleteMessageBatch: "DeleteMessage",
  ChangeMessageVisibilityBatch: "ChangeMessageVisibility",
  DeleteObjects: "DeleteObject",
  ListObjectsV2: "ListBucket",
  HeadObject: "GetObject",
  CopyObject: "PutObject",
};

/**
 * Source: the service authorization reference of AWS. A transaction needs the actions of its parts. A write of rows names the
 * beginning of its partition key, which a role may limit: `dynamodb:PutItem table under D#`.
 */
export function requiredPermissions(client: string, command: string, input: Input): string[] {
  const action = actions[command] ?? command;
  switch (client) {
    case "DynamoDBClient": {
      const writes = writesOf(command, input);
      if (writes.length === 0) return [`dynamodb:${action} ${input.IndexName ?? "table"}`];
      return writes.map((write) => {
        const [part = "", beginning] = write.split(" ");
        return `dynamodb:${actions[part]} table under ${beginning}`;
      });
    }
    case "SQSClient":
      return [`sqs:${action} ${input.QueueName ?? input.QueueUrl?.split("/").at(-1)}`];
    case "S3Client": {
      if (action === "ListBucket") return [`s3:${action} ${input.Bucket}`];
      const keys = input.Delete?.Objects.map(({ Key }) => Key) ?? [String(input.Key)];
      const sources = input.CopySource === undefined ? [] : [`s3:GetObject ${input.CopySource.split("/")[1]}/`];
      return [...keys.map((key) => `s3:${action} ${key.split("/")[0]}/`), ...sources];
    }
    case "KMSClient":
      return [`kms:${action} ${input.EncryptionContext?.purpose ?? "key"}`];
    case "ApiGatewayManagementApiClient":
      return [`execute-api:ManageConnections ${action === "DeleteConnection" ? "DELETE" : "POST"}`];
    case "SecretsManagerClient":
      return [`secretsmanager:${action} ${input.SecretId}`];
    default:
      throw new Error(`The permissions of ${client} are not known.`);
  }
}
