import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { CreateKeyCommand, DecryptCommand, EncryptCommand, KMSClient } from "@aws-sdk/client-kms";
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { CreateSecretCommand, GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import {
  CreateQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { createPresignedPost } from "@aws-sdk/s3-presigned-post";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { expect, it } from "vitest";
import { openTableProxy } from "#local-aws/dynamodb/table-proxy.ts";
import { startEmulators } from "#local-aws/emulators/server.ts";
import { openedOnce } from "../../../support/opened.ts";
import { allow, openRole, stackKey, TABLE_ARN } from "./support/role-fixture.ts";

const ACCOUNT = "us-east-1:000000000000";
const CALLER = "arn:aws:sts::000000000000:assumed-role/Planted-WorkRole/Planted-Work";
const fixture = openedOnce(openFixture);

/** The emulators and a table, with clients of the stack's key and of the function's. */
async function openFixture() {
  const role = openRole([
    allow("sqs:SendMessage", `arn:aws:sqs:${ACCOUNT}:granted`),
    allow("kms:Decrypt", "*", { StringEquals: { "kms:EncryptionContext:purpose": ["token"] } }),
    allow(["s3:GetObject", "s3:PutObject", "s3:DeleteObject"], "arn:aws:s3:::files/u/*"),
    allow("s3:ListBucket", "arn:aws:s3:::files", { StringLike: { "s3:prefix": "u/*" } }),
    allow("secretsmanager:GetSecretValue", `arn:aws:secretsmanager:${ACCOUNT}:secret:granted-*`),
    allow("ses:SendEmail", [
      `arn:aws:ses:${ACCOUNT}:identity/parley@local.test`,
      `arn:aws:ses:${ACCOUNT}:identity/local.test`,
    ]),
    allow("ses:SendEmail", `arn:aws:ses:${ACCOUNT}:identity/*@example.com`, {
      StringEquals: { "ses:FromAddress": "parley@local.test" },
    }),
    allow("dynamodb:GetItem", TABLE_ARN),
  ]);
  const { access } = role;
  const dataDir = mkdtempSync(join(tmpdir(), "emulators-"));
  const { accessKeys } = access;
  const emulators = await startEmulators({ port: 0, dataDir, now: Date.now, accessKeys, access });
  const { server, requests } = await startEngine();
  const engine = { name: "dynamodb-local", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } as const;
  const proxy = await openTableProxy({
    port: 0,
    engine,
    accessKeys,
    access: { ...access, engineKeyId: stackKey.id },
  });
  const clientsOf = (key: { readonly id: string; readonly secret: string }) => {
    const credentials = { accessKeyId: key.id, secretAccessKey: key.secret };
    const common = { region: "us-east-1", credentials, maxAttempts: 1, endpoint: emulators.url };
    return {
      dynamodb: new DynamoDBClient({ ...common, endpoint: proxy.url }),
      kms: new KMSClient(common),
      s3: new S3Client({ ...common, forcePathStyle: true }),
      secrets: new SecretsManagerClient(common),
      ses: new SESv2Client(common),
      sqs: new SQSClient(common),
    };
  };
  const [own, work] = [clientsOf(stackKey), clientsOf(role.key)];
  const queue = async (QueueName: string) => (await own.sqs.send(new CreateQueueCommand({ QueueName }))).QueueUrl ?? "";
  await own.s3.send(new CreateBucketCommand({ Bucket: "files" }));
  return {
    own,
    work,
    requests,
    queues: { granted: await queue("granted"), other: await queue("other") },
    close: async () => {
      for (const client of [...Object.values(own), ...Object.values(work)]) client.destroy();
      await proxy.close();
      server.closeAllConnections();
      server.close();
      await emulators.close();
      role.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** An engine that answers every request with no item. */
async function startEngine(): Promise<{ server: Server; requests: IncomingHttpHeaders[] }> {
  const requests: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    requests.push(request.headers);
    request.resume().on("end", () => response.end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, requests };
}

const because = (action: string) => `because no identity-based policy allows the ${action} action`;
const denied = (action: string, resource: string) =>
  `User: ${CALLER} is not authorized to perform: ${action} on resource: ${resource} ${because(action)}`;
const error = async (call: Promise<unknown>) => {
  const { name, message, $metadata } = await call.then(
    () => expect.fail("The call was answered."),
    (reason: Error & { $metadata: { httpStatusCode: number } }) => reason,
  );
  return [$metadata.httpStatusCode, name, message];
};
const text = async (response: Response) => [
  response.status,
  /<Message>(.*)<\/Message>/.exec(await response.text())?.[1],
];

it("the table gets what the role allows, under the key of the stack, and the SDK an AccessDeniedException for the rest", async () => {
  const { dynamodb } = fixture.work;
  const Key = { PK: { S: "a" } };
  await dynamodb.send(new GetItemCommand({ TableName: "rows", Key }));
  expect(await error(dynamodb.send(new PutItemCommand({ TableName: "rows", Item: Key })))).toEqual([
    400,
    "AccessDeniedException",
    denied("dynamodb:PutItem", TABLE_ARN),
  ]);
  // An engine has other tables for each key.
  expect(fixture.requests.map(({ authorization }) => /Credential=(\w+)/.exec(authorization ?? "")?.[1])).toEqual([
    "local",
  ]);
});

it("a message goes to a granted queue only, also when the client has no endpoint but the queue's own URL", async () => {
  const { queues, work } = fixture;
  const send = (client: SQSClient, QueueUrl: string) =>
    client.send(new SendMessageCommand({ QueueUrl, MessageBody: "m" }));
  await send(work.sqs, queues.granted);
  const refusal = [403, "AccessDenied", denied("sqs:sendmessage", `arn:aws:sqs:${ACCOUNT}:other`)];
  expect(await error(send(work.sqs, queues.other))).toEqual(refusal);
  const entries = { QueueUrl: queues.other, Entries: [{ Id: "1", MessageBody: "m" }] };
  expect(await error(work.sqs.send(new SendMessageBatchCommand(entries)))).toEqual(refusal);
  const { credentials } = work.sqs.config;
  const direct = new SQSClient({ region: "us-east-1", credentials, maxAttempts: 1 });
  await send(direct, queues.granted);
  expect(await error(send(direct, queues.other))).toEqual(refusal);
  direct.destroy();
  const read = await fixture.own.sqs.send(new ReceiveMessageCommand({ QueueUrl: queues.other }));
  expect(read.Messages ?? []).toEqual([]);
});

it("a ciphertext is decrypted in the granted context only", async () => {
  const { own, work } = fixture;
  const { KeyMetadata } = await own.kms.send(new CreateKeyCommand({}));
  const encrypt = async (purpose: string) => {
    const EncryptionContext = { purpose };
    const Plaintext = Buffer.from("secret");
    const { CiphertextBlob } = await own.kms.send(
      new EncryptCommand({ KeyId: KeyMetadata?.KeyId ?? "", Plaintext, EncryptionContext }),
    );
    return { CiphertextBlob, EncryptionContext };
  };
  const { Plaintext } = await work.kms.send(new DecryptCommand(await encrypt("token")));
  expect(Buffer.from(Plaintext ?? []).toString()).toBe("secret");
  expect(await error(work.kms.send(new DecryptCommand(await encrypt("webhook"))))).toEqual([
    400,
    "AccessDeniedException",
    denied("kms:Decrypt", KeyMetadata?.Arn ?? ""),
  ]);
});

it("a secret is read if the role names it, by its name or its ARN", async () => {
  const { own, work } = fixture;
  const create = async (Name: string) =>
    (await own.secrets.send(new CreateSecretCommand({ Name, SecretString: Name }))).ARN ?? "";
  const [granted, other] = [await create("granted"), await create("other")];
  const read = (SecretId: string) => work.secrets.send(new GetSecretValueCommand({ SecretId }));
  expect([(await read(granted)).SecretString, (await read("granted")).SecretString]).toEqual(["granted", "granted"]);
  for (const id of [other, "other"])
    expect(await error(read(id))).toEqual([
      400,
      "AccessDeniedException",
      denied("secretsmanager:GetSecretValue", other),
    ]);
});

it("a mail needs the identities of its sender and of its recipients", async () => {
  const send = (FromEmailAddress: string, ...ToAddresses: string[]) =>
    fixture.work.ses.send(
      new SendEmailCommand({
        FromEmailAddress,
        Destination: { ToAddresses },
        Content: { Simple: { Subject: { Data: "s" }, Body: { Text: { Data: "t" } } } },
      }),
    );
  await send("Parley <parley@local.test>", "ann@example.com");
  const refusal = (identity: string) => [
    403,
    "AccessDeniedException",
    `User \`${CALLER}' is not authorized to perform \`ses:SendEmail' on resource \`arn:aws:ses:${ACCOUNT}:identity/${identity}'`,
  ];
  expect(await error(send("parley@local.test", "ann@elsewhere.com"))).toEqual(refusal("ann@elsewhere.com"));
  expect(await error(send("other@local.test", "ann@example.com"))).toEqual(refusal("other@local.test"));
});

it("objects are judged by their keys: those of a copy, of each deletion and of a listing's prefix, too", async () => {
  const { s3 } = fixture.work;
  const Bucket = "files";
  const put = (Key: string) => s3.send(new PutObjectCommand({ Bucket, Key, Body: "b" }));
  const shown = (action: string, key: string) => [403, "AccessDenied", denied(action, `"arn:aws:s3:::${key}"`)];
  await put("u/a");
  await fixture.own.s3.send(new PutObjectCommand({ Bucket, Key: "h/a", Body: "b" }));
  expect(await error(put("h/b"))).toEqual(shown("s3:PutObject", "files/h/b"));
  await s3.send(new CopyObjectCommand({ Bucket, Key: "u/b", CopySource: "files/u/a" }));
  expect(await error(s3.send(new CopyObjectCommand({ Bucket, Key: "u/b", CopySource: "files/h/a" })))).toEqual(
    shown("s3:GetObject", "files/h/a"),
  );
  const remove = (...keys: string[]) =>
    s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: keys.map((Key) => ({ Key })) } }));
  expect(await error(remove("u/b", "h/a"))).toEqual(shown("s3:DeleteObject", "files/h/a"));
  await remove("u/b");
  const list = (Prefix?: string) => s3.send(new ListObjectsV2Command({ Bucket, ...(Prefix ? { Prefix } : {}) }));
  expect((await list("u/")).Contents?.map(({ Key }) => Key)).toEqual(["u/a"]);
  expect(await error(list())).toEqual(shown("s3:ListBucket", "files"));
});

it("a missing object is 403 for a caller that may not list the bucket, and 404 for others", async () => {
  const read = { Bucket: "files", Key: "u/missing" };
  expect(await error(fixture.work.s3.send(new GetObjectCommand(read)))).toEqual([403, "AccessDenied", "Access Denied"]);
  expect((await error(fixture.work.s3.send(new HeadObjectCommand(read)))).slice(0, 1)).toEqual([403]);
  expect((await error(fixture.own.s3.send(new GetObjectCommand(read)))).slice(0, 2)).toEqual([404, "NoSuchKey"]);
  // The function may only list under a prefix, and a read has none.
  const copy = new CopyObjectCommand({ Bucket: "files", Key: "u/copy", CopySource: "files/u/missing" });
  expect(await error(fixture.work.s3.send(copy))).toEqual([403, "AccessDenied", "Access Denied"]);
  expect((await error(fixture.own.s3.send(copy))).slice(0, 2)).toEqual([404, "NoSuchKey"]);
  const link = async (client: S3Client) => (await fetch(await getSignedUrl(client, new GetObjectCommand(read)))).status;
  expect([await link(fixture.work.s3), await link(fixture.own.s3)]).toEqual([403, 404]);
});

it("a presigned URL and a browser's form may do what the function that signed them may, once their signature is verified", async () => {
  const { own, work } = fixture;
  const Bucket = "files";
  for (const Key of ["u/p", "h/p"]) await own.s3.send(new PutObjectCommand({ Bucket, Key, Body: "b" }));
  const url = (Key: string) => getSignedUrl(work.s3, new GetObjectCommand({ Bucket, Key }));
  expect((await fetch(await url("u/p"))).status).toBe(200);
  const refusal = (action: string, key: string) => [
    403,
    denied(action, `"arn:aws:s3:::${key}"`).replaceAll('"', "&quot;"),
  ];
  expect(await text(await fetch(await url("h/p")))).toEqual(refusal("s3:GetObject", "files/h/p"));
  const forged = (await url("h/p")).replace(/(Signature=)\w/, "$1x");
  expect((await text(await fetch(forged)))[1]).toContain("signature");
  const post = async (Key: string) => {
    const { url: target, fields } = await createPresignedPost(work.s3, { Bucket, Key });
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set("file", new Blob(["b"]));
    return await fetch(target, { method: "POST", body: form });
  };
  expect((await post("u/form")).status).toBe(204);
  expect(await text(await post("h/form"))).toEqual(refusal("s3:PutObject", "files/h/form"));
});
