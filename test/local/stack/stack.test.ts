import { existsSync, readFileSync, statSync } from "node:fs";
import { get } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DescribeKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";
import { type Stack, type StackSettings, startStack } from "../../../local/stack/stack.ts";
import { clientSettings } from "../../support/access/access-keys.ts";
import { controlHeaders } from "../../support/access/control-token.ts";
import { lambdaResource, newTempFolder, writeAssembly } from "../../support/assemblies/assemblies.ts";
import { openSocket, refusalOf } from "../../support/sockets/test-socket.ts";
import { assemblySettings } from "../assembly-settings.ts";
import { handlerSources, serviceResources, tableResource } from "../service-template.ts";

const folder = newTempFolder();
const outputFile = join(folder.path, "out.txt");

const settings: StackSettings = {
  ...assemblySettings(folder.path, writeAssembly(folder.path, serviceResources(outputFile), handlerSources)),
  metaSecret: "the-meta-secret",
};
let stack: Stack;
beforeAll(async () => {
  stack = await startStack(settings);
});
afterAll(async () => {
  await stack.close();
  folder.remove();
});

function stackClient() {
  const env = stack.env("Api");
  return { env, ...clientSettings(env) };
}

async function send(...bodies: string[]): Promise<void> {
  const { env, ...client } = stackClient();
  const sqs = new SQSClient(client);
  const Entries = bodies.map((MessageBody, at) => ({ Id: String(at), MessageBody }));
  await sqs.send(new SendMessageBatchCommand({ QueueUrl: env.WORK, Entries }));
  sqs.destroy();
}

/** The recorded lines of messages whose body contains `word`, in order. */
function readNotes(word: string): string[] {
  const lines = existsSync(outputFile) ? readFileSync(outputFile, "utf8").split("\n") : [];
  return lines.filter((line) => line.includes(word));
}

/** A call of a control route with the token of the data folder. */
const control = (path: string, { headers, ...request }: RequestInit = {}) =>
  fetch(stack.baseUrl + path, {
    ...request,
    headers: { ...controlHeaders(stack.local.control_token), ...(headers as Record<string, string>) },
  });
const post = (path: string, body: string) => control(path, { method: "POST", body });

async function readSecret(name: string): Promise<string | undefined> {
  const { env, ...client } = stackClient();
  const secrets = new SecretsManagerClient(client);
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: env[name] }));
  secrets.destroy();
  return SecretString;
}

it("the WebSocket API runs its routes, and its functions send to its connections", async () => {
  expect(stack.local.ws_url).toBe(stack.env("Api").PARLEY_REALTIME_URL);
  expect(stack.local.ws_url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/live$/);
  expect(await refusalOf(openSocket(`${stack.local.ws_url}?ticket=other`))).toBe(401);
  const socket = await openSocket(`${stack.local.ws_url}?ticket=valid`);
  socket.send("hello");
  expect(await socket.next()).toBe("answer to hello");
  expect(stack.realtime.counts).toEqual({ POST: 1 });
});

it("the WebSocket API has a management API that fails while it is set to", async () => {
  const socket = await openSocket(`${stack.local.ws_url}?ticket=valid`);
  expect(await (await post("/_local/faults", '{"connections":"throttled"}')).json()).toEqual({
    connections: "throttled",
  });
  const before = stack.realtime.counts.POST ?? 0;
  socket.send("unanswered");
  await expect.poll(() => stack.realtime.counts.POST).toBe(before + 1);
  await post("/_local/faults", '{"connections":"none"}');
  socket.send("answered");
  expect(await socket.next()).toBe("answer to answered");
  expect(socket.messages).toHaveLength(1);
  socket.terminate();
});

it("the WebSocket API ends what an advanced clock makes too old", async () => {
  const socket = await openSocket(`${stack.local.ws_url}?ticket=valid`);
  await stack.advanceClock(10 * MINUTE);
  expect(await socket.ended).toEqual({ code: 1001, reason: "Going away" });
  await expect.poll(() => readNotes("socket ended 1001").length).toBeGreaterThan(0);
});

it("what the template declares exists, and each function's environment names it", async () => {
  const { env, ...client } = stackClient();
  expect(env.BASE).toBe(stack.baseUrl);
  expect(env.BUCKET).toBe("arn:aws:s3:::planted-raw");
  expect(env.WORK).toBe(`${client.endpoint}/000000000000/Planted-Work`);
  const kms = new KMSClient(client);
  const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId: env.KEY }));
  kms.destroy();
  expect(KeyMetadata?.KeyId).toBe(env.KEY);
});

it("what the template declares has the table's keys and indexes, and no time to live", async () => {
  const { env, ...client } = stackClient();
  const dynamodb = new DynamoDBClient({ ...client, endpoint: env.AWS_ENDPOINT_URL_DYNAMODB as string });
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: env.PARLEY_TABLE }));
  const expiry = await dynamodb.send(new DescribeTimeToLiveCommand({ TableName: env.PARLEY_TABLE }));
  dynamodb.destroy();
  expect(Table?.KeySchema).toEqual(tableResource.Properties.KeySchema);
  expect(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual(["Feed"]);
  expect(expiry.TimeToLiveDescription?.TimeToLiveStatus ?? "DISABLED").toBe("DISABLED");
});

it("what the template declares has its secrets: one generated, one with the platform secrets", async () => {
  expect(await readSecret("ROOT")).toMatch(/^[A-Za-z0-9]{64}$/);
  expect(JSON.parse((await readSecret("PARLEY_PLATFORM_SECRET_ID")) ?? "")).toEqual({
    meta: "the-meta-secret",
    instagram: expect.stringMatching(/^[0-9a-f]{32}$/),
    verify_token: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
});

it("what the template declares is described in local.json without absent fields", () => {
  const file = join(stack.dataDir, "local.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(stack.local);
  expect(Object.keys(stack.local).sort()).toEqual([
    "accounts",
    "base_url",
    "control_token",
    "platform_secrets",
    "ws_url",
  ]);
  expect(statSync(file).mode & 0o077).toBe(0);
});

it("a queue's worker gets a failed message again, then the dead letter worker gets it; successful messages are delivered once", async () => {
  await send("good-1", "bad-1", "good-2");
  await expect.poll(() => readNotes("-1 1")).toHaveLength(2);
  await stack.advanceClock(MINUTE + SECOND);
  await expect.poll(() => readNotes("bad-1")).toEqual(["worker bad-1 1", "worker bad-1 2"]);
  await stack.advanceClock(MINUTE + SECOND);
  await expect.poll(() => readNotes("dead bad-1")).toHaveLength(1);
  expect(readNotes("worker bad-1")).toHaveLength(2);
  expect(readNotes("good-")).toHaveLength(2);
});

it("a queue's worker gets the whole batch again after a failed invocation", async () => {
  await send("break-2", "beside-2");
  await expect.poll(() => readNotes("-2 1").length).toBeGreaterThanOrEqual(2);
  await stack.advanceClock(MINUTE + SECOND);
  await expect.poll(() => readNotes("worker break-2 2")).toHaveLength(1);
});

it("a jump of the clock waits for a batch in progress, so that its messages are not delivered twice", async () => {
  await send("slow-4");
  await expect.poll(() => readNotes("slow-4")).toHaveLength(1);
  await stack.advanceClock(MINUTE + SECOND);
  await stack.advanceClock(MINUTE + SECOND);
  expect(readNotes("slow-4")).toEqual(["worker slow-4 1", "worker slow-4 done"]);
});

describe("the clock over HTTP", () => {
  const nowOver = async (): Promise<number> => {
    const body = (await (await control("/_local/clock")).json()) as { now: string };
    return Date.parse(body.now);
  };

  it("the clock over HTTP jumps, and has run each schedule that came due once when it answers", async () => {
    const before = await nowOver();
    const ticks = readNotes("tick").length;
    const response = await post("/_local/clock", '{"advance":"P2D"}');
    expect(readNotes("tick aws.events")).toHaveLength(ticks + 1);
    expect(response.status).toBe(200);
    const { now } = (await response.json()) as { now: string };
    expect(Date.parse(now) - before).toBeGreaterThanOrEqual(2 * DAY);
    expect(Date.parse(now) - before).toBeLessThan(2 * DAY + MINUTE);
  });

  it.each(['{"advance":"-PT1H"}', '{"advance":"P1M"}', '{"advance":3600}', "{}", "null", "not json", ""])(
    "the clock over HTTP does not move for %s and says what to send",
    async (body) => {
      const before = await nowOver();
      const response = await post("/_local/clock", body);
      expect(response.status).toBe(400);
      expect(((await response.json()) as { message: string }).message).toContain('{"advance":"PT24H"}');
      expect((await nowOver()) - before).toBeLessThan(MINUTE);
    },
  );

  it("the clock over HTTP rejects a page of another origin and a foreign host name", async () => {
    const from = (origin: string) => control("/_local/clock", { headers: { origin } });
    expect((await from("https://elsewhere.example")).status).toBe(403);
    expect((await from(stack.baseUrl)).status).toBe(200);
    const { hostname, port } = new URL(stack.baseUrl);
    const status = await new Promise((resolve) => {
      get({ hostname, port, path: "/_local/clock", headers: { host: `elsewhere.example:${port}` } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
    });
    expect(status).toBe(403);
  });

  it("the clock over HTTP is one of a few routes, which an unknown route lists", async () => {
    const missing = await control("/_local/nothing");
    expect(missing.status).toBe(404);
    expect(await missing.text()).toContain("/_local/mail");
    expect((await control("/_local/clock", { method: "DELETE" })).status).toBe(405);
  });
});

it("a method that no route can have is 405 with the error of the contract", async () => {
  const { hostname, port } = new URL(stack.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(`BREW /things/7 HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: close\r\n\r\n`);
  const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
  expect(JSON.parse(body)).toEqual({
    ok: false,
    error: { code: "method_not_allowed", message: "Method not allowed for this path.", detail: "" },
  });
});

it("mail is listed, newest first", async () => {
  expect(await (await control("/_local/mail")).json()).toEqual({ mails: [] });
  const { env: _, ...client } = stackClient();
  const mail = new SESv2Client(client);
  for (const subject of ["first", "second"]) {
    await mail.send(
      new SendEmailCommand({
        FromEmailAddress: "parley@example.com",
        Destination: { ToAddresses: ["person@example.com"] },
        Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: "x" } } } },
      }),
    );
  }
  mail.destroy();
  const { mails } = (await (await control("/_local/mail")).json()) as { mails: { subject: string }[] };
  expect(mails.map(({ subject }) => subject)).toEqual(["second", "first"]);
});

it("a second start on the same data folder is rejected, and the first stack continues", async () => {
  await expect(startStack(settings)).rejects.toThrow(/data is in use by a local stack .* Stop it/);
  expect((await fetch(`${stack.baseUrl}/health`)).status).toBe(200);
  expect(existsSync(join(stack.dataDir, "local.json"))).toBe(true);
});

it("a second start on the same port is rejected and does not lock its own data folder", async () => {
  const port = Number(new URL(stack.baseUrl).port);
  const dataDir = join(folder.path, "other");
  const second = startStack({ ...settings, port, dataDir });
  await expect(second).rejects.toThrow(LocalRefusal);
  await expect(second).rejects.toThrow(`Port ${port} is in use`);
  expect(existsSync(join(dataDir, "lock"))).toBe(false);
});

it("a second start after the end of the first has the same clock, key, secrets and messages", async () => {
  const before = {
    key: stack.env("Api").KEY,
    root: await readSecret("ROOT"),
    platforms: await readSecret("PARLEY_PLATFORM_SECRET_ID"),
  };
  const offset = await clockOffset();
  await send("bad-3");
  await expect.poll(() => readNotes("bad-3 1")).toHaveLength(1);
  await stack.close();
  expect(existsSync(join(stack.dataDir, "local.json"))).toBe(false);
  stack = await startStack(settings);
  expect(before.key).toBeTruthy();
  expect(stack.env("Api").KEY).toBe(before.key);
  expect(await readSecret("ROOT")).toBe(before.root);
  expect(await readSecret("PARLEY_PLATFORM_SECRET_ID")).toBe(before.platforms);
  expect(Math.abs((await clockOffset()) - offset)).toBeLessThan(5 * SECOND);
  await stack.advanceClock(MINUTE + SECOND);
  await expect.poll(() => readNotes("worker bad-3 2")).toHaveLength(1);
});

async function clockOffset(): Promise<number> {
  const { now } = (await (await control("/_local/clock")).json()) as { now: string };
  return Date.parse(now) - Date.now();
}

it("every function is loaded when the stack is ready, so that its first event does not wait", async () => {
  const place = newTempFolder();
  const loadedFile = join(place.path, "loaded");
  const source = `import { appendFileSync } from "node:fs";
      appendFileSync(${JSON.stringify(loadedFile)}, process.env.AWS_LAMBDA_FUNCTION_NAME + " ");
      export const handler = async () => {};`;
  const resources = { One: lambdaResource("one"), Two: lambdaResource("one") };
  const assembly = writeAssembly(place.path, resources, { one: source });
  const ready = await startStack(assemblySettings(place.path, assembly));
  expect(readFileSync(loadedFile, "utf8").trim().split(" ").sort()).toEqual(["Planted-One", "Planted-Two"]);
  await ready.close();
  place.remove();
});

it("the functions' log has their lines, of which none moves a cursor or hides a part", async () => {
  const place = newTempFolder();
  const source = `console.log(JSON.stringify({ text: "a\u202eb\u0085c" }) + "\\u001b[2Jd");
      export const handler = async () => {};`;
  const ready = await startStack(
    assemblySettings(place.path, writeAssembly(place.path, { One: lambdaResource("one") }, { one: source })),
  );
  await ready.close();
  expect(readFileSync(join(ready.dataDir, "functions.log"), "utf8")).toContain('{"text":"ab c"} [2Jd\n');
  place.remove();
});

it("a table whose keys have changed is rejected with the fix in the error, and a start with --fresh creates it again", async () => {
  const place = newTempFolder();
  const start = (keys: string[], isFresh: boolean) => {
    const properties = {
      AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      KeySchema: keys.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? "HASH" : "RANGE" })),
    };
    const assembly = writeAssembly(place.path, { Table: { Type: "AWS::DynamoDB::Table", Properties: properties } });
    return startStack({ ...assemblySettings(place.path, assembly), fresh: isFresh });
  };
  await (await start(["PK"], false)).close();
  await expect(start(["PK", "SK"], false)).rejects.toThrow(/keys or indexes of Planted\/Table.*--fresh/);
  await (await start(["PK", "SK"], true)).close();
  place.remove();
});
