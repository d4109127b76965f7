import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { KMSClient } from "@aws-sdk/client-kms";
import { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { AccessKey } from "../access/access-key.ts";
import type { FunctionDeclaration } from "../lambda/functions.ts";
import { ACCOUNT, REGION, type Resolver } from "../template/intrinsics.ts";
import type { StackResource } from "../template/template.ts";

/** Clients of the emulators and the table. */
export interface Clients {
  readonly dynamodb: DynamoDBClient;
  readonly kms: KMSClient;
  readonly s3: S3Client;
  readonly secrets: SecretsManagerClient;
  readonly sqs: SQSClient;
}

export interface ClientSettings {
  readonly endpoint: string;
  readonly dynamodbEndpoint: string;
  readonly accessKey: AccessKey;
}

/** A client of the queues alone, such as that of a function's event sources. */
export function openQueueClient({ endpoint, accessKey }: Omit<ClientSettings, "dynamodbEndpoint">): SQSClient {
  return new SQSClient({ region: REGION, credentials: toCredentials(accessKey), endpoint });
}

function toCredentials({ id, secret }: AccessKey) {
  return { accessKeyId: id, secretAccessKey: secret };
}

export function openClients({ endpoint, dynamodbEndpoint, accessKey }: ClientSettings): Clients {
  const common = {
    region: REGION,
    credentials: toCredentials(accessKey),
  };
  const settings = { ...common, endpoint };
  return {
    dynamodb: new DynamoDBClient({ ...common, endpoint: dynamodbEndpoint }),
    kms: new KMSClient(settings),
    s3: new S3Client({ ...settings, forcePathStyle: true }),
    secrets: new SecretsManagerClient(settings),
    sqs: new SQSClient(settings),
  };
}

export function closeClients(clients: Clients): void {
  for (const client of Object.values(clients) as { destroy(): void }[]) client.destroy();
}

/** The input of every provisioner. */
export interface ProvisionContext {
  readonly clients: Clients;
  readonly resolver: Resolver;
  /** Ids of resources of earlier starts that have no name. `savePhysicalId` writes them. */
  readonly physicalIds: ReadonlyMap<string, string>;
  savePhysicalId(name: string, value: string): void;
  readonly functions: readonly FunctionDeclaration[];
  /** The URL of the HTTP API. */
  readonly baseUrl: string;
  /** The URL of the WebSocket API, without its stage. */
  readonly socketUrl: string;
}

/** The name of a resource without a name in the template. */
export function physicalName({ stack, id }: StackResource): string {
  return `${stack}-${id}`;
}

export function buildArn(service: string, rest: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
}
