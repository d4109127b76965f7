import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  BatchWriteItemCommand,
  DescribeContinuousBackupsCommand,
  DynamoDBClient,
  ListTablesCommand,
  UpdateContinuousBackupsCommand,
} from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Engine } from "#local-aws/dynamodb/engine.ts";
import { openTableProxy, type TableProxy } from "#local-aws/dynamodb/table-proxy.ts";
import { openFreeAccess, openStrictAccess } from "#local-aws/iam/access-control.ts";
import { signedFetch } from "../../../support/access/signed-fetch.ts";
import { startTable, testEngine } from "../../../support/engine/engine.ts";
import { sampleTable } from "./sample-table.ts";

const accessKey = { id: "LOCAL1", secret: "secret" };
const requests: { url: string | undefined; headers: IncomingHttpHeaders; bytes: number }[] = [];
let engine: Server;
let proxy: TableProxy;

beforeEach(async () => {
  requests.length = 0;
  engine = createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) bytes += chunk.length;
    requests.push({ url: request.url, headers: request.headers, bytes });
    response
      .writeHead(200, { "access-control-allow-origin": "*", "access-control-max-age": "9", "x-amz-crc32": "1" })
      .end('{"TableNames":["t"]}');
  }).listen(0, "127.0.0.1");
  await once(engine, "listening");
});
afterEach(async () => {
  await proxy.close();
  engine.closeAllConnections();
  engine.close();
});

const engineUrl = () => `http://127.0.0.1:${(engine.address() as AddressInfo).port}`;

async function openProxy(name: Engine["name"], url = engineUrl()): Promise<void> {
  proxy = await openTableProxy({ port: 0, engine: { name, url }, accessKeys: { [accessKey.id]: accessKey.secret } });
}

const target = { "x-amz-target": "DynamoDB_20120810.ListTables" };

it("signed requests reach the engine, and its answer has no header that lets a page read it", async () => {
  await openProxy("dynoxide");
  const answer = await signedFetch(proxy.url, { service: "dynamodb", headers: target, body: "{}", accessKey });
  expect([answer.status, await answer.text()]).toEqual([200, '{"TableNames":["t"]}']);
  expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  expect(answer.headers.get("x-amz-crc32")).toBe("1");
  expect(requests).toMatchObject([{ url: "/", bytes: 2, headers: { ...target, host: new URL(engineUrl()).host } }]);
  expect(requests[0]?.headers.authorization).toContain("Credential=LOCAL1/");
});

it("other requests do not reach the engine", async () => {
  await openProxy("dynoxide");
  const call = { service: "dynamodb", headers: target, body: "{}" };
  const answers = [
    await fetch(proxy.url, { method: "POST", headers: target, body: "{}" }),
    await signedFetch(proxy.url, { ...call, accessKey: { ...accessKey, id: "local" } }),
    await signedFetch(proxy.url, { ...call, accessKey: { ...accessKey, secret: "local" } }),
    await signedFetch(proxy.url, { ...call, accessKey, body: "x".repeat(18 * 2 ** 20) }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 413]);
  expect(await answers[1]?.text()).toContain("aws-credentials");
  expect(requests).toEqual([]);
});

it("functions call the engine itself, unless they are judged or the engine is not the stack's own", async () => {
  const open = async (name: Engine["name"], access = openFreeAccess(accessKey)) => {
    const { accessKeys } = access;
    const options = {
      engine: { name, url: engineUrl() },
      accessKeys,
      access: { ...access, engineKeyId: accessKey.id },
    };
    proxy = await openTableProxy({ port: 0, ...options });
    const { url, functionsUrl } = proxy;
    if (name !== "dynamodb-local") await proxy.close();
    return functionsUrl === engineUrl() ? "engine" : functionsUrl === url && "proxy";
  };
  const strict = { accessKey, file: "", report: () => {} };
  expect(await open("dynoxide")).toBe("engine");
  expect(await open("given")).toBe("proxy");
  expect(await open("dynoxide", openStrictAccess(strict))).toBe("proxy");
  expect(await open("dynamodb-local")).toBe("engine");
});

it("an engine that was started outside the stack gets the access key of earlier versions", async () => {
  await openProxy("given", `${engineUrl()}/path/`);
  await signedFetch(proxy.url, { service: "dynamodb", headers: target, body: "{}", accessKey });
  expect(requests.map(({ url, headers }) => [url, headers.authorization?.includes("Credential=local/")])).toEqual([
    ["/path/", true],
  ]);
});

it("an engine that ended ends the connection, as it would without the proxy", async () => {
  await openProxy("dynoxide", "http://127.0.0.1:1");
  const call = signedFetch(proxy.url, { service: "dynamodb", headers: target, body: "{}", accessKey });
  await expect(call).rejects.toThrow("fetch failed");
});

it("the SDK's requests of any size pass to a real engine, and its errors come back", async () => {
  const { name, url } = await testEngine();
  await openProxy(name, url);
  const credentials = { accessKeyId: accessKey.id, secretAccessKey: accessKey.secret };
  const client = new DynamoDBClient({ endpoint: proxy.url, region: "us-east-1", credentials, maxAttempts: 1 });
  expect((await client.send(new ListTablesCommand({}))).TableNames).toBeInstanceOf(Array);
  const Item = { PK: { S: "p" }, v: { S: "x".repeat(390_000) } };
  const large = new BatchWriteItemCommand({ RequestItems: { none: Array(25).fill({ PutRequest: { Item } }) } });
  await expect(client.send(large)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
  client.destroy();
});

it("a table of any engine has settings of point-in-time recovery, and one that does not exist has none", async () => {
  const { url, name } = await testEngine();
  await openProxy(name, url);
  const client = new DynamoDBClient({
    endpoint: proxy.url,
    region: "us-east-1",
    credentials: { accessKeyId: accessKey.id, secretAccessKey: accessKey.secret },
  });
  const table = await startTable(sampleTable);
  const TableName = table.tableName;
  const read = async () => {
    const { ContinuousBackupsDescription } = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
    return ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  };
  const update = (input: { TableName: string; days?: number }) =>
    client.send(
      new UpdateContinuousBackupsCommand({
        TableName: input.TableName,
        PointInTimeRecoverySpecification: {
          PointInTimeRecoveryEnabled: true,
          ...(input.days === undefined ? {} : { RecoveryPeriodInDays: input.days }),
        },
      }),
    );
  try {
    expect(await read()).toEqual({ PointInTimeRecoveryStatus: "DISABLED" });
    await update({ TableName });
    expect(await read()).toEqual({ PointInTimeRecoveryStatus: "ENABLED", RecoveryPeriodInDays: 35 });
    await update({ TableName, days: 7 });
    expect(await read()).toEqual({ PointInTimeRecoveryStatus: "ENABLED", RecoveryPeriodInDays: 7 });
    await expect(update({ TableName, days: 36 })).rejects.toMatchObject({ name: "ValidationException" });
    await expect(update({ TableName: "none" })).rejects.toMatchObject({ name: "TableNotFoundException" });
    const missing = client.send(new DescribeContinuousBackupsCommand({ TableName: "none" }));
    await expect(missing).rejects.toMatchObject({ name: "TableNotFoundException" });
  } finally {
    client.destroy();
    await table.close();
  }
});
