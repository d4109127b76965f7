import { randomUUID } from "node:crypto";
import * as Kms from "@aws-sdk/client-kms";
import * as S3 from "@aws-sdk/client-s3";
import * as Secrets from "@aws-sdk/client-secrets-manager";
import * as Sqs from "@aws-sdk/client-sqs";
import * as Document from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import * as LeanDynamo from "#base/aws/lean/dynamodb.ts";
import * as LeanKms from "#base/aws/lean/kms.ts";
import * as LeanS3 from "#base/aws/lean/s3.ts";
import * as LeanSecrets from "#base/aws/lean/secrets-manager.ts";
import * as LeanSqs from "#base/aws/lean/sqs.ts";
import { requestOptions } from "#base/config/request-times.ts";
import { SECOND } from "#base/kernel/time.ts";
import { type Answer, openBoth, openServer, type Request, type Service } from "./both-clients.ts";

// The SDK's client is the reference: the lean client makes its requests, and returns and throws what it does.

let server: Awaited<ReturnType<typeof openServer>>;
let clients: ReturnType<typeof openBoth>;
beforeAll(async () => {
  server = await openServer();
  clients = openBoth({
    endpoint: server.url,
    region: "eu-central-1",
    credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "a token/+=" },
    ...requestOptions(2 * SECOND),
  });
  // The waits between two attempts are drawn as 0.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
beforeEach(() => {
  server.requests.length = 0;
  server.answers.length = 0;
});
afterAll(() => {
  vi.restoreAllMocks();
  for (const client of Object.values({ ...clients.sdk })) client.destroy();
  server.close();
});

const Item = {
  PK: "a",
  SK: "b",
  n: 1,
  big: 12345678901234567890n,
  bytes: new Uint8Array([1, 250]),
  "é✓": ["x", undefined],
};
const Key = { PK: "a", SK: "b" };
const condition = {
  ConditionExpression: "attribute_not_exists(PK) OR #v < :v",
  ExpressionAttributeNames: { "#v": "version" },
  ExpressionAttributeValues: { ":v": 7, ":s": new Set(["a"]) },
  ReturnValuesOnConditionCheckFailure: "ALL_OLD",
} as const;
const write = { TableName: "t", ...condition };

/** Service, name of the command, input. */
type Sample = readonly [Service, string, object];

const samples: readonly Sample[] = [
  ["dynamodb", "GetCommand", { TableName: "t", Key, ConsistentRead: true, ProjectionExpression: undefined }],
  ["dynamodb", "PutCommand", { ...write, Item, ReturnValues: "ALL_OLD" }],
  ["dynamodb", "UpdateCommand", { ...write, Key, UpdateExpression: "SET a = :v ADD b :s", ReturnValues: "ALL_NEW" }],
  ["dynamodb", "DeleteCommand", { ...write, Key }],
  [
    "dynamodb",
    "QueryCommand",
    {
      TableName: "t",
      IndexName: "i",
      KeyConditionExpression: "PK = :pk",
      ExpressionAttributeValues: { ":pk": "Keys" },
      ExclusiveStartKey: Key,
      Limit: 5,
      ScanIndexForward: false,
    },
  ],
  ["dynamodb", "QueryCommand", { TableName: "t", KeyConditionExpression: "PK = :pk", ExclusiveStartKey: undefined }],
  ["dynamodb", "ScanCommand", { TableName: "t", Segment: 1, TotalSegments: 4, Select: "COUNT" }],
  [
    "dynamodb",
    "BatchGetCommand",
    {
      RequestItems: { Item: { Keys: [Key, { PK: 1, SK: 2 }], ConsistentRead: false, ProjectionExpression: undefined } },
    },
  ],
  ["dynamodb", "BatchWriteCommand", { RequestItems: { Key: [{ DeleteRequest: { Key } }, { PutRequest: { Item } }] } }],
  [
    "dynamodb",
    "TransactWriteCommand",
    {
      ClientRequestToken: "token",
      TransactItems: [
        { Put: { ...write, Item } },
        { Update: { ...write, Key, UpdateExpression: "SET a = :v" } },
        { Delete: { ...write, Key } },
        { ConditionCheck: { ...write, Key } },
      ],
    },
  ],
  ["dynamodb", "TransactGetCommand", { TransactItems: [{ Get: { TableName: "t", Key } }] }],
  ["sqs", "SendMessageCommand", { QueueUrl: "QUEUE", MessageBody: "é✓", MessageGroupId: "g", DelaySeconds: undefined }],
  [
    "sqs",
    "SendMessageBatchCommand",
    {
      QueueUrl: "QUEUE",
      Entries: [
        { Id: "0", MessageBody: "a", DelaySeconds: 3 },
        { Id: "1", MessageBody: "b" },
      ],
    },
  ],
  [
    "sqs",
    "ChangeMessageVisibilityBatchCommand",
    { QueueUrl: "QUEUE", Entries: [{ Id: "0", ReceiptHandle: "h", VisibilityTimeout: 30 }] },
  ],
  [
    "sqs",
    "ReceiveMessageCommand",
    { QueueUrl: "QUEUE", MaxNumberOfMessages: 10, MessageSystemAttributeNames: ["SentTimestamp"], WaitTimeSeconds: 0 },
  ],
  ["sqs", "DeleteMessageBatchCommand", { QueueUrl: "QUEUE", Entries: [{ Id: "0", ReceiptHandle: "h" }] }],
  ["sqs", "GetQueueUrlCommand", { QueueName: "q" }],
  ["sqs", "GetQueueAttributesCommand", { QueueUrl: "QUEUE", AttributeNames: ["ApproximateNumberOfMessages"] }],
  ["kms", "EncryptCommand", { KeyId: "k", Plaintext: Buffer.from("é"), EncryptionContext: { app: "parley" } }],
  ["kms", "DecryptCommand", { KeyId: "k", CiphertextBlob: new Uint8Array([0, 255]), EncryptionContext: { a: "b" } }],
  ["kms", "DescribeKeyCommand", { KeyId: "k" }],
  ["secrets", "GetSecretValueCommand", { SecretId: "s", VersionStage: "AWSPREVIOUS" }],
  ["secrets", "PutSecretValueCommand", { SecretId: "s", SecretString: "x", ClientRequestToken: "t".repeat(32) }],
  ["secrets", "UpdateSecretVersionStageCommand", { SecretId: "s", VersionStage: "AWSCURRENT", MoveToVersionId: "v" }],
  ["s3", "PutObjectCommand", { Bucket: "b", Key: "a b/é+=(1)!'*", Body: Buffer.from("é✓") }],
  ["s3", "PutObjectCommand", { Bucket: "b", Key: "k", Body: new Uint8Array(), ContentType: "image/png" }],
  ["s3", "GetObjectCommand", { Bucket: "b", Key: "k", Range: "bytes=0-9", IfMatch: '"e"' }],
  ["s3", "HeadObjectCommand", { Bucket: "b", Key: "k" }],
  ["s3", "DeleteObjectCommand", { Bucket: "b", Key: "k" }],
  [
    "s3",
    "DeleteObjectsCommand",
    { Bucket: "b", Delete: { Objects: [{ Key: "a&<>\"'b" }, { Key: "é\r\n" }], Quiet: true } },
  ],
  ["s3", "ListObjectsV2Command", { Bucket: "b", Prefix: "a/é ", ContinuationToken: "1/+=" }],
  [
    "s3",
    "CopyObjectCommand",
    {
      Bucket: "b",
      Key: "k",
      CopySource: "b/a%20b",
      CopySourceIfMatch: '"e"',
      MetadataDirective: "REPLACE",
      ContentType: "image/png",
    },
  ],
];

type Commands = Record<string, new (input: object) => unknown>;
const sdkCommands = { dynamodb: Document, sqs: Sqs, kms: Kms, secrets: Secrets, s3: S3 } as unknown as Record<
  Service,
  Commands
>;
const leanCommands = {
  dynamodb: LeanDynamo,
  sqs: LeanSqs,
  kms: LeanKms,
  secrets: LeanSecrets,
  s3: LeanS3,
} as unknown as Record<Service, Commands>;

function commandOf(commands: Record<Service, Commands>, [service, name, input]: Sample): unknown {
  const Command = commands[service][name];
  if (!Command) throw new Error(`There is no ${name}.`);
  const withQueue = "QueueUrl" in input ? { ...input, QueueUrl: `${server.url}/1/q` } : input;
  return new Command(withQueue);
}

/** What AWS acts on: everything but the time, the signature, and what says who made the request. */
function shape({ method, url, headers, body }: Request) {
  const { "content-type": type, "content-length": length, host, range } = headers;
  const amz = Object.entries(headers).filter(
    ([name]) => /^(x-amz|if-)/.test(name) && !["x-amz-date", "x-amz-user-agent"].includes(name),
  );
  // S3's client names its operation in the query, which S3 ignores.
  const sent = url?.replace(/[?&]x-id=\w+$/, "");
  const isJson = type?.includes("json") === true;
  // The order of the fields differs, so their length is the same and their hash is not.
  const compared = amz.filter(([name]) => !isJson || name !== "x-amz-content-sha256");
  return {
    method,
    url: sent,
    type,
    length: length ?? "0",
    host,
    range,
    amz: Object.fromEntries(compared),
    body: isJson ? JSON.parse(body) : body,
  };
}

async function send(service: Service, command: unknown, which: "sdk" | "lean") {
  return clients[which][service].send(command).then(
    (output) => ({ output }),
    (error: Error) => ({ error }),
  );
}

it("every command of the lean client is compared with the SDK's", () => {
  const commands = Object.entries(leanCommands).flatMap(([service, names]) =>
    Object.keys(names).flatMap((name) => (name.endsWith("Command") ? [`${service} ${name}`] : [])),
  );
  const compared = new Set(samples.map(([service, name]) => `${service} ${name}`));
  expect(commands.length).toBeGreaterThan(20);
  expect(commands.filter((command) => !compared.has(command))).toEqual([]);
});

describe("requests", () => {
  it.each(samples)("a request of %s by %s is the SDK's, of its own commands and of ours (%#)", async (...sample) => {
    const [service] = sample;
    await send(service, commandOf(sdkCommands, sample), "sdk");
    const reference = server.requests.splice(0)[0] as Request;
    for (const commands of [sdkCommands, leanCommands]) {
      await send(service, commandOf(commands, sample), "lean");
      const own = server.requests.splice(0)[0] as Request;
      expect(shape(own)).toEqual(shape(reference));
      const signed = /SignedHeaders=([^,]+)/.exec(own.headers.authorization ?? "")?.[1]?.split(";") ?? [];
      const unsigned = Object.keys(own.headers).filter((name) => !signed.includes(name));
      // Node adds the length and the connection.
      expect(unsigned.sort()).toEqual(expect.arrayContaining(["authorization", "connection", "user-agent"]));
      expect(unsigned).not.toContain("x-amz-security-token");
      expect(unsigned.filter((name) => name.startsWith("x-amz") || name === "host")).toEqual([]);
    }
  });

  it("a transaction without a token has one, the same in each attempt", async () => {
    server.answers.push({ status: 500 }, { body: "{}" }, { body: "{}" });
    const transaction = () =>
      new Document.TransactWriteCommand({ TransactItems: [{ Put: { TableName: "t", Item: Key } }] });
    await send("dynamodb", transaction(), "lean");
    await send("dynamodb", transaction(), "lean");
    const [first, second, third] = server.requests.map(({ body }) => JSON.parse(body).ClientRequestToken as string);
    expect(first).toHaveLength(randomUUID().length);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });
});

const typed = {
  PK: { S: "a" },
  n: { N: "1" },
  s: { SS: ["x"] },
  b: { B: "AfoA" },
  m: { M: { l: { L: [{ NULL: true }] } } },
};
const md5OfA = "0cc175b9c0f1b6a831c399e269772661";
const xml = (content: string) => `<?xml version="1.0" encoding="UTF-8"?>\n${content}`;

type Case = readonly [what: string, sample: Sample, answer: Exclude<Answer, string>];
const json = (body: object, status = 200): Exclude<Answer, string> => ({ status, body: JSON.stringify(body) });
const byName = (name: string, service: Service = "dynamodb") =>
  samples.find((sample) => sample[0] === service && sample[1] === name) as Sample;

const outputs: readonly Case[] = [
  ["an item", byName("GetCommand"), json({ Item: typed, ConsumedCapacity: { TableName: "t", CapacityUnits: 0.5 } })],
  ["no item", byName("GetCommand"), json({})],
  ["the attributes of a write", byName("UpdateCommand"), json({ Attributes: typed })],
  [
    "a page",
    byName("QueryCommand"),
    json({ Items: [typed, typed], Count: 2, ScannedCount: 3, LastEvaluatedKey: { PK: { S: "a" } } }),
  ],
  ["an empty page", byName("ScanCommand"), json({ Items: [], Count: 0, ScannedCount: 0 })],
  [
    "a batch of reads with unprocessed keys",
    byName("BatchGetCommand"),
    json({
      Responses: { Item: [typed] },
      UnprocessedKeys: { Item: { Keys: [{ PK: { S: "a" } }], ConsistentRead: false } },
    }),
  ],
  [
    "a batch of writes with unprocessed items",
    byName("BatchWriteCommand"),
    json({
      UnprocessedItems: { Key: [{ PutRequest: { Item: typed } }, { DeleteRequest: { Key: { PK: { N: "2" } } } }] },
    }),
  ],
  ["a transaction of reads", byName("TransactGetCommand"), json({ Responses: [{ Item: typed }, {}] })],
  [
    "a sent message",
    ["sqs", "SendMessageCommand", { QueueUrl: "QUEUE", MessageBody: "a" }],
    json({ MessageId: "m", MD5OfMessageBody: md5OfA }),
  ],
  [
    "a batch of which the queue refused a message",
    ["sqs", "SendMessageBatchCommand", { QueueUrl: "QUEUE", Entries: [{ Id: "0", MessageBody: "a" }] }],
    json({
      Successful: [{ Id: "0", MessageId: "m", MD5OfMessageBody: md5OfA }],
      Failed: [{ Id: "1", Code: "InternalError", SenderFault: false }],
    }),
  ],
  ["a queue's URL", byName("GetQueueUrlCommand", "sqs"), json({ QueueUrl: "http://q" })],
  [
    "received messages",
    byName("ReceiveMessageCommand", "sqs"),
    json({
      Messages: [
        { MessageId: "m", ReceiptHandle: "h", Body: "a", MD5OfBody: md5OfA, Attributes: { SentTimestamp: "1" } },
      ],
    }),
  ],
  ["an empty queue", byName("ReceiveMessageCommand", "sqs"), json({})],
  [
    "messages of which one is not deleted",
    byName("DeleteMessageBatchCommand", "sqs"),
    json({ Successful: [], Failed: [{ Id: "0", Code: "x", SenderFault: true }] }),
  ],
  ["ciphertext", byName("EncryptCommand", "kms"), json({ CiphertextBlob: "AfoA", KeyId: "k" })],
  ["plaintext", byName("DecryptCommand", "kms"), json({ Plaintext: "AfoA", KeyId: "k" })],
  [
    "a secret",
    byName("GetSecretValueCommand", "secrets"),
    json({ SecretString: "x", VersionId: "v", VersionStages: ["AWSCURRENT"], CreatedDate: 1_700_000_000.5 }),
  ],
  ["a stored object", byName("PutObjectCommand", "s3"), { headers: { etag: '"e"' } }],
  [
    "a copy",
    byName("CopyObjectCommand", "s3"),
    { body: xml("<CopyObjectResult><ETag>&quot;e&quot;</ETag></CopyObjectResult>") },
  ],
  [
    "a list of objects",
    byName("ListObjectsV2Command", "s3"),
    {
      body: xml(
        "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a&amp;&#x41;&#66; b</Key></Contents><Contents><Key>é</Key></Contents><NextContinuationToken>1/+=</NextContinuationToken></ListBucketResult>",
      ),
    },
  ],
  [
    "an empty list of objects",
    byName("ListObjectsV2Command", "s3"),
    { body: xml("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>") },
  ],
  [
    "objects that could not be deleted",
    byName("DeleteObjectsCommand", "s3"),
    { body: xml("<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code></Error></DeleteResult>") },
  ],
  ["deleted objects", byName("DeleteObjectsCommand", "s3"), { body: xml("<DeleteResult></DeleteResult>") }],
];

describe("results", () => {
  it.each(outputs)("the result that is %s is what the SDK returns", async (_, sample, answer) => {
    const results = await both(sample, [answer]);
    expect(results.lean.output).toBeDefined();
    expect(withoutMetadata(results.lean.output)).toEqual(withoutMetadata(results.sdk.output));
    expect(results.lean.output.$metadata).toMatchObject({ httpStatusCode: 200, requestId: "R" });
  });

  it("an object has the SDK's bytes and properties", async () => {
    const headers = { etag: '"e"', "content-type": "text/plain", "content-length": "6" };
    const sample: Sample = ["s3", "GetObjectCommand", { Bucket: "b", Key: "k" }];
    const { sdk, lean } = await both(sample, [{ headers, body: "é✓a" }]);
    for (const { output } of [sdk, lean]) {
      expect(output).toMatchObject({ ETag: '"e"', ContentType: "text/plain", ContentLength: 6 });
      expect(Buffer.from(await output.Body.transformToByteArray()).toString()).toBe("é✓a");
    }
  });
});

const refusal = (type: string, fields: object = {}): Exclude<Answer, string> =>
  json({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: "a message", ...fields }, 400);

const errors: readonly Case[] = [
  ["a failed condition", byName("PutCommand"), refusal("ConditionalCheckFailedException", { Item: typed })],
  [
    "a cancelled transaction",
    byName("TransactWriteCommand"),
    refusal("TransactionCanceledException", {
      message: undefined,
      Message: "cancelled",
      CancellationReasons: [{ Code: "None" }, { Code: "ConditionalCheckFailed", Message: "m", Item: typed }],
    }),
  ],
  ["a conflict", byName("UpdateCommand"), refusal("TransactionConflictException")],
  ["an invalid request", byName("QueryCommand"), refusal("ValidationException")],
  ["a table that is missing", byName("GetCommand"), refusal("ResourceNotFoundException")],
  ["a missing right", byName("GetCommand"), refusal("AccessDeniedException")],
  ["an unknown error", byName("GetCommand"), refusal("SomethingNewException")],
  [
    "a queue that does not exist",
    byName("GetQueueUrlCommand", "sqs"),
    {
      ...json({ __type: "com.amazonaws.sqs#QueueDoesNotExist", message: "no queue" }, 400),
      headers: { "x-amzn-query-error": "AWS.SimpleQueueService.NonExistentQueue;Sender" },
    },
  ],
  ["a ciphertext of another row", byName("DecryptCommand", "kms"), json({ __type: "InvalidCiphertextException" }, 400)],
  ["a disabled key", byName("DecryptCommand", "kms"), json({ __type: "DisabledException", message: "off" }, 400)],
  [
    "a secret without a former version",
    byName("GetSecretValueCommand", "secrets"),
    json({ __type: "ResourceNotFoundException", Message: "none" }, 400),
  ],
  [
    "an object that is missing",
    byName("GetObjectCommand", "s3"),
    { status: 404, body: xml("<Error><Code>NoSuchKey</Code><Message>no &lt;key&gt;</Message><Key>k</Key></Error>") },
  ],
  ["the head of an object that is missing", byName("HeadObjectCommand", "s3"), { status: 404 }],
  [
    "an object that has changed",
    byName("CopyObjectCommand", "s3"),
    { status: 412, body: xml("<Error><Code>PreconditionFailed</Code><Message>changed</Message></Error>") },
  ],
];

describe("errors", () => {
  it.each(errors)("the error that is %s is what the SDK throws", async (_, sample, answer) => {
    const { sdk, lean } = await both(sample, [answer]);
    const [reference, own] = [sdk.error, lean.error];
    expect(own).toBeInstanceOf(Error);
    expect(describeError(own)).toEqual(describeError(reference));
    // The stores ask for the SDK's classes. An error that the SDK does not know is of the one of its service.
    const { constructor: SdkClass } = Object.getPrototypeOf(reference) as object;
    expect(own instanceof SdkClass).toBe(SdkClass.name === own.name);
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ["a page of a proxy", { status: 503, body: "<html>unavailable</html>" }],
    ["no body", { status: 500 }],
    ["a gateway's time-out", { status: 504, body: "{}" }],
  ])("an error whose answer is %s counts as the service's, after three attempts", async (_, answer) => {
    const { sdk, lean } = await both(byName("GetCommand"), [answer, answer, answer]);
    for (const { error } of [sdk, lean]) {
      expect(error.$metadata).toMatchObject({ httpStatusCode: answer.status });
    }
    expect(server.requests).toHaveLength(6);
  });

  it("the error of a copy may come after its status, and is repeated", async () => {
    const answer = { body: xml("<Error><Code>InternalError</Code><Message>late</Message></Error>") };
    const { sdk, lean } = await both(byName("CopyObjectCommand", "s3"), [answer, answer, answer]);
    for (const { error } of [sdk, lean]) expect(error.name).toBe("InternalError");
    expect(server.requests).toHaveLength(6);
  });

  it("an error is thrown where the queue stored another text, or the bucket returns other bytes", async () => {
    const wrong = json({ MessageId: "m", MD5OfMessageBody: "0".repeat(32) });
    const sent = await both(["sqs", "SendMessageCommand", { QueueUrl: "QUEUE", MessageBody: "a" }], [wrong]);
    const changed = json({ Messages: [{ MessageId: "m", Body: "a", MD5OfBody: "0".repeat(32) }] });
    const received = await both(byName("ReceiveMessageCommand", "sqs"), [changed]);
    for (const { error } of [sent.sdk, sent.lean]) expect(error.message).toBe("InvalidChecksumError");
    for (const { error } of [received.sdk, received.lean])
      expect(error.message).toBe("Invalid MD5 checksum on messages: m");
    const answer = { headers: { "x-amz-checksum-crc32": "AAAAAA==" }, body: "changed" };
    server.answers.push(answer, answer, answer);
    const sample: Sample = ["s3", "GetObjectCommand", { Bucket: "b", Key: "k" }];
    await expect(clients.lean.s3.send(commandOf(sdkCommands, sample))).rejects.toThrow("not the one that was stored");
  });
});

interface Result {
  // biome-ignore lint/suspicious/noExplicitAny: outputs of all services
  readonly output?: any;
  // biome-ignore lint/suspicious/noExplicitAny: errors of all services
  readonly error?: any;
}

async function both(sample: Sample, answers: readonly Answer[]) {
  const [service] = sample;
  server.answers.push(...answers.map(withDate));
  const sdk = await send(service, commandOf(sdkCommands, sample), "sdk");
  server.answers.length = 0;
  server.answers.push(...answers.map(withDate));
  const lean = await send(service, commandOf(sdkCommands, sample), "lean");
  return { sdk, lean } as Record<"sdk" | "lean", Result>;
}

/** A clock that is right. */
function withDate(answer: Answer): Answer {
  if (typeof answer === "string") return answer;
  return { ...answer, headers: { date: new Date().toUTCString(), ...answer.headers } };
}

function withoutMetadata({ $metadata: _, ...output }: { $metadata?: unknown }): object {
  return output;
}

function describeError(error: Error & Record<string, unknown>) {
  const { name, message, $fault, Code, Item, CancellationReasons, $metadata } = error;
  const { httpStatusCode } = $metadata as { httpStatusCode?: number };
  return { name, message, $fault, Code, Item, CancellationReasons, httpStatusCode };
}
