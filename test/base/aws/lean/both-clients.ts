import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import * as Dynamo from "@aws-sdk/client-dynamodb";
import * as Kms from "@aws-sdk/client-kms";
import * as S3 from "@aws-sdk/client-s3";
import * as Secrets from "@aws-sdk/client-secrets-manager";
import * as Sqs from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { DynamoDBClient } from "#base/aws/lean/dynamodb.ts";
import { KMSClient } from "#base/aws/lean/kms.ts";
import { S3Client } from "#base/aws/lean/s3.ts";
import { SecretsManagerClient } from "#base/aws/lean/secrets-manager.ts";
import { SQSClient } from "#base/aws/lean/sqs.ts";

export interface Request {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** `cut`: the connection ends without an answer; `half`: inside of it; `silence`: no answer; `garbage`: it is no HTTP. */
export type Answer =
  | "cut"
  | "garbage"
  | "half"
  | "silence"
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

/** A server that records requests and answers as a test says; after that with 200 and `{}`. It must be closed. */
export async function openServer() {
  const requests: Request[] = [];
  const answers: Answer[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    requests.push({ method, url, headers, body: await text(request) });
    const answer = answers.shift() ?? { body: "{}" };
    if (answer === "silence") return;
    if (answer === "cut") return request.socket.destroy();
    if (answer === "garbage") return request.socket.end("no HTTP\r\n\r\n");
    if (answer === "half") {
      response.writeHead(200, { "content-length": "100" }).write("{");
      return setImmediate(() => request.socket.destroy());
    }
    response.writeHead(answer.status ?? 200, { "x-amzn-requestid": "R", ...answer.headers }).end(answer.body ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answers,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export interface AnyClient {
  // biome-ignore lint/suspicious/noExplicitAny: commands of all services
  send(command: any, options?: object): Promise<any>;
  destroy(): void;
}

export type Service = "dynamodb" | "sqs" | "kms" | "secrets" | "s3";

/** The SDK's clients of every service, and the lean ones, of the same options. */
export function openBoth(options: object) {
  const document = { marshallOptions: { removeUndefinedValues: true } };
  const sdk: Record<Service, AnyClient> = {
    dynamodb: DynamoDBDocumentClient.from(new Dynamo.DynamoDBClient(options), document),
    sqs: new Sqs.SQSClient(options),
    kms: new Kms.KMSClient(options),
    secrets: new Secrets.SecretsManagerClient(options),
    s3: new S3.S3Client({ ...options, forcePathStyle: true }),
  };
  const lean: Record<Service, AnyClient> = {
    dynamodb: new DynamoDBClient(options),
    sqs: new SQSClient(options),
    kms: new KMSClient(options),
    secrets: new SecretsManagerClient(options),
    s3: new S3Client({ ...options, forcePathStyle: true }),
  };
  return { sdk, lean };
}
