import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { BatchGetCommand, BatchWriteCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LogLine } from "#base/aws/log.ts";
import { env } from "#base/config/names.ts";
import { SECOND } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { table as openServiceTable } from "../../../functions/ports/table.ts";
import { PROJECT } from "../../docs/markdown.ts";
import { countedMetrics } from "../../support/metering/counted-metrics.ts";

// DynamoDB throttles requests to the table or an index. The alarm TableThrottled counts the attempts.

/** What DynamoDB answers, one after the other; `{}` after the last. */
let answers: object[] = [];
const server = createServer(async (request, response) => {
  await request.toArray();
  const answer = answers.shift() ?? {};
  // The SDK repeats an error whose date is far from its clock, which the tests set.
  response.sendDate = false;
  response.writeHead("__type" in answer ? 400 : 200, { "content-type": "application/x-amz-json-1.0" });
  response.end(JSON.stringify(answer));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

let now = 1_795_000_000_000;
let lines: LogLine[] = [];
let table: Table;
beforeEach(() => {
  lines = [];
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
  vi.spyOn(Date, "now").mockImplementation(() => now);
  table = openServiceTable({ settings: { [env.table]: "t" }, clients: {}, log: (line) => lines.push(line) });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const refused = (type: string, more: object = {}) => ({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, ...more });
const Item = { PK: "a", SK: "b" };
const put = new PutCommand({ TableName: "t", Item });
const transaction = new TransactWriteCommand({ TransactItems: [{ Put: { TableName: "t", Item } }] });
const reasons = (...codes: string[]) =>
  refused("TransactionCanceledException", { CancellationReasons: codes.map((Code) => ({ Code })) });
const batchWrite = new BatchWriteCommand({ RequestItems: { t: [{ PutRequest: { Item } }] } });
const batchGet = new BatchGetCommand({ RequestItems: { t: { Keys: [Item] } } });
const key = { PK: { S: "a" }, SK: { S: "b" } };

type Case = readonly [what: string, send: () => Promise<unknown>, answer: object];
it.each<Case>([
  ["a request above a cap, of the table or an index", () => table.client.send(put), refused("ThrottlingException")],
  ["a request to a hot partition", () => table.client.send(put), refused("ProvisionedThroughputExceededException")],
  ["a request above the account's quota", () => table.client.send(put), refused("RequestLimitExceeded")],
  ["a part of a transaction", () => table.client.send(transaction), reasons("None", "ThrottlingError")],
  [
    "a write of a batch",
    () => table.client.send(batchWrite),
    { UnprocessedItems: { t: [{ PutRequest: { Item: key } }] } },
  ],
  ["a read of a batch", () => table.client.send(batchGet), { UnprocessedKeys: { t: { Keys: [key] } } }],
])("%s that was throttled counts, also where the SDK repeats it with success", async (_, send, answer) => {
  answers = [answer];
  await send().catch(() => {});
  expect(countedMetrics(lines)).toEqual([{ TableThrottles: 1 }]);
});

it.each<Case>([
  ["a request that succeeds", () => table.client.send(put), {}],
  ["a condition that failed", () => table.client.send(put), refused("ConditionalCheckFailedException")],
  ["a transaction that another one stopped", () => table.client.send(transaction), reasons("TransactionConflict")],
])("%s counts as no throttle", async (_, send, answer) => {
  answers = [answer];
  await send().catch(() => {});
  expect(countedMetrics(lines)).toEqual([]);
});

it("many throttled attempts are one line a second, with all that were not counted before", async () => {
  const cancelled = () => table.client.send(transaction).catch(() => {});
  answers = Array(4).fill(reasons("ThrottlingError"));
  for (let attempt = 0; attempt < 3; attempt++) await cancelled();
  now += SECOND;
  await cancelled();
  expect(countedMetrics(lines)).toEqual([{ TableThrottles: 1 }, { TableThrottles: 3 }]);
});

it("every function and command opens its table with the count of its throttles", () => {
  const folder = join(PROJECT, "functions");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const opening = files.filter((file) => readFileSync(join(folder, file), "utf8").includes("openTable("));
  expect(opening).toEqual([join("ports", "table.ts")]);
});
