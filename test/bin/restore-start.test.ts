import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, vi } from "vitest";
import { env, table as names } from "#base/config/names.ts";
import { DAY, MINUTE } from "#base/kernel/time.ts";
import { describeClock, oldestPoint, restoreCopiedTable } from "../../bin/admin/upkeep/restore.ts";
import { readRestorePoint } from "../../functions/admin/restore-ports.ts";

it("a restore does not start with a clock that differs from that of AWS by more than a minute", () => {
  const at = Date.parse("2026-11-29T08:00:00Z");
  expect([at - MINUTE, at, at + MINUTE].map((now) => describeClock(now, at))).toEqual([null, null, null]);
  const late = "the clock of this computer shows 2026-11-29T07:00:00.000Z, and that of AWS 2026-11-29T08:00:00.000Z.";
  expect(describeClock(at - 60 * MINUTE, at)).toContain(late);
  expect(describeClock(at + MINUTE + 1, at)).toContain("Set it, and start again");
  expect(describeClock(at, Number.NaN)).toContain("has no time");
});

it("a restore begins no earlier than the journal does, which lasts five days longer than the recovery period", () => {
  const now = Date.parse("2026-11-29T08:00:00Z");
  const days = [null, 35, 33, 10].map((each) => each && { recoveryPeriodInDays: each });
  expect(days.map((settings) => (now - oldestPoint(now, settings || null)) / DAY)).toEqual([35, 35, 35, 15]);
});

it("the time of a copy is read with the clock of the service that answers", async () => {
  const [point, date] = [Date.parse("2026-11-28T08:00:00Z"), "Sun, 29 Nov 2026 08:00:00 GMT"];
  const server = createServer((_request, response) => {
    response.setHeader("date", date).setHeader("content-type", "application/x-amz-json-1.0");
    response.end(JSON.stringify({ Table: { RestoreSummary: { RestoreDateTime: point / 1000 } } }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const environment = {
    ...{ AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, AWS_REGION: "eu-central-1" },
    ...{ AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "key", [env.table]: "copy" },
  };
  expect(await readRestorePoint(environment)).toEqual({ point, answeredAt: Date.parse(date) });
  server.close();
});

/** AWS as a restore asks it first: the description of a table, and the first page of the journal. */
async function refusalOf(table: object, journalStatus: number): Promise<{ message: string; writes: string[] }> {
  const writes: string[] = [];
  const RestoreSummary = { RestoreDateTime: (Date.now() - 3_600_000) / 1000 };
  const server = createServer((request, response) => {
    const call = request.headers["x-amz-target"] ?? request.method ?? "";
    if (call === "GET") {
      response.statusCode = journalStatus;
      return response.end("<Error><Code>AccessDenied</Code><Message>No.</Message></Error>");
    }
    if (call !== "DynamoDB_20120810.DescribeTable") writes.push(`${call}`);
    response.setHeader("content-type", "application/x-amz-json-1.0");
    return response.end(JSON.stringify({ Table: { RestoreSummary, ...table } }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const variables = {
    ...{ AWS_ENDPOINT_URL: url, AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "key" },
    ...{ [env.table]: "used", [env.journalBucket]: "journal", [env.keyId]: "key", [env.rootSecretId]: "root" },
    [env.inboundQueueUrl]: `${url}/1/inbound`,
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const values = { positionals: ["restore"], table: "copy" } as unknown as Parameters<typeof restoreCopiedTable>[0];
  const error: Error = await restoreCopiedTable(values).then(
    () => new Error("It was not refused."),
    (refusal) => refusal,
  );
  vi.unstubAllEnvs();
  server.close();
  return { message: error.message, writes };
}

const keys = (PK: string, SK?: string) => [
  { AttributeName: PK, KeyType: "HASH" },
  ...(SK ? [{ AttributeName: SK, KeyType: "RANGE" }] : []),
];
const { feedIndex, idIndex, failingIndex } = names;
const index = (IndexName: string, KeySchema: object, ProjectionType: string, NonKeyAttributes?: readonly string[]) => ({
  IndexName,
  IndexStatus: "ACTIVE",
  KeySchema,
  Projection: { ProjectionType, NonKeyAttributes },
});
const own = {
  KeySchema: keys(names.partitionKey, names.sortKey),
  GlobalSecondaryIndexes: [
    index(feedIndex.name, keys(feedIndex.partitionKey, feedIndex.sortKey), "ALL"),
    index(idIndex.name, keys(idIndex.partitionKey), "KEYS_ONLY"),
    index(failingIndex.name, keys(failingIndex.partitionKey, failingIndex.sortKey), "INCLUDE", failingIndex.copies),
  ],
};

it("a restore of a table with other keys, and one without rights to the journal, changes nothing", async () => {
  expect(await refusalOf({ KeySchema: keys("id") }, 200)).toEqual({
    message: "Step time failed: the table copy: it has other keys than Parley's. Name a copy of Parley's table.",
    writes: [],
  });
  const { message, writes } = await refusalOf(own, 403);
  expect(writes).toEqual([]);
  expect(message).toContain("Step time failed: the journal's bucket journal cannot be read: ");
});
