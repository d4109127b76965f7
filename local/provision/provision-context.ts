import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { KMSClient } from "@aws-sdk/client-kms";
import { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import type { FunctionDeclaration } from "../lambda/functions.ts";
import { ACCOUNT, REGION, type Resolver } from "../template/intrinsics.ts";
import type { StackResource } from "../template/template.ts";

/** Clients of the parts that the template's resources are made in. */
export interface Clients {
  readonly dynamodb: DynamoDBClient;
  readonly kms: KMSClient;
  readonly s3: S3Client;
  readonly secrets: SecretsManagerClient;
  readonly sqs: SQSClient;
}

export function openClients(endpoint: string, dynamodbEndpoint: string): Clients {
  const common = { region: REGION, credentials: { accessKeyId: "local", secretAccessKey: "local" } };
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

/** Everything a resource's maker may need. */
export interface ProvisionContext {
  readonly clients: Clients;
  readonly resolver: Resolver;
  /** What was made by an earlier start and cannot be found by its name alone; written by `keep`. */
  readonly physicalIds: ReadonlyMap<string, string>;
  savePhysicalId(name: string, value: string): void;
  readonly functions: readonly FunctionDeclaration[];
  /** The address of the HTTP API. */
  readonly baseUrl: string;
}

/** The physical name of a resource that the template does not name. */
export function physicalName({ stack, id }: StackResource): string {
  return `${stack}-${id}`;
}

export function buildArn(service: string, rest: string): string {
  return `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
}
