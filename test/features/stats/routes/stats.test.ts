import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, iso } from "#base/kernel/time.ts";
import { NO_ANSWERS } from "#features/stats/rules.ts";
import { type Counts, counterStore } from "#features/stats/store.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { openApiApp } from "../../../support/routes/api-app.ts";
import { newTenant, sampleCounts } from "../../../support/stores/samples.ts";

let tenant: TenantId;
let key: string;
const testEnv = openedOnce(openTestEnv);
const api = openedOnce(() => openApiApp(testEnv));
beforeEach(async () => {
  tenant = newTenant();
  key = await api.newKey(tenant);
});

const readStats = async (apiKey = key, query = "") => (await api.request(apiKey, `/v1/stats${query}`)).body.data;
async function newEndpoint(): Promise<string> {
  testEnv.advance(1);
  const response = await api.request(key, "/v1/webhooks", { url: "http://127.0.0.1:1/in" });
  return response.body.data.endpoint.id;
}

const none = { delivered: 0, failed: 0, dlq: 0 };
const count = (endpoints: Record<string, object>, received = 0, more: Partial<Counts> = {}) => {
  const endpointCounts = new Map(Object.entries(endpoints).map(([id, counts]) => [id, { ...none, ...counts }]));
  const counts = sampleCounts({ received, endpoints: endpointCounts, ...more });
  return counterStore(testEnv.table).add(tenant, counts, testEnv.now());
};

it("GET /v1/stats has a row for each live endpoint, oldest first, also without deliveries", async () => {
  expect(await readStats()).toEqual({ messages_24h: 0, dlq_total: 0, window_hours: 24, endpoints: [] });
  const [busy, idle] = [await newEndpoint(), await newEndpoint()];
  await count({ [busy]: { delivered: 5, failed: 2, dlq: 1 } }, 7);
  expect(await readStats()).toEqual({
    messages_24h: 7,
    dlq_total: 1,
    window_hours: 24,
    endpoints: [
      { endpoint_id: busy, delivered: 5, failed: 2, dlq: 1 },
      { endpoint_id: idle, ...none },
    ],
  });
});

it("GET /v1/stats excludes a deleted endpoint from rows and total and includes a paused one", async () => {
  const [paused, deleted] = [await newEndpoint(), await newEndpoint()];
  await count({ [paused]: { dlq: 1 }, [deleted]: { dlq: 10 } });
  for (const [id, status] of [
    [paused, "paused"],
    [deleted, "deleted"],
  ]) {
    await testEnv.table.client.send(
      new UpdateCommand({
        TableName: testEnv.table.name,
        Key: { PK: `T#${tenant}`, SK: `WH#${id}` },
        UpdateExpression: "SET st = :st",
        ExpressionAttributeValues: { ":st": status },
      }),
    );
  }
  expect(await readStats()).toMatchObject({ dlq_total: 1, endpoints: [{ endpoint_id: paused, dlq: 1 }] });
  expect((await readStats()).endpoints).toHaveLength(1);
});

it("GET /v1/stats drops an hour once 24 later hours have started", async () => {
  const id = await newEndpoint();
  await count({ [id]: { failed: 3 } }, 2);
  const end = testEnv.now() - (testEnv.now() % HOUR) + 25 * HOUR;
  testEnv.advance(end - 1 - testEnv.now());
  expect(await readStats()).toMatchObject({ messages_24h: 2, endpoints: [{ failed: 3 }] });
  testEnv.advance(1);
  expect(await readStats()).toMatchObject({ messages_24h: 0, endpoints: [{ failed: 0 }] });
});

it("GET /v1/stats with series=hour has each of 25 hours with its counts and answers, the earliest first", async () => {
  const id = await newEndpoint();
  await count({ [id]: { delivered: 1 } }, 2, { sent: 3, answers: { ...NO_ANSWERS, within15Minutes: 1, later: 2 } });
  testEnv.advance(HOUR);
  await count({ [id]: { dlq: 4 } }, 5);
  expect(await readStats()).not.toHaveProperty("series");
  const stats = await readStats(undefined, "?series=hour");
  const { series, ...totals } = stats;
  expect(totals).toEqual(await readStats());
  const thisHour = testEnv.now() - (testEnv.now() % HOUR);
  const noAnswers = {
    within_5_minutes: 0,
    within_15_minutes: 0,
    within_1_hour: 0,
    within_4_hours: 0,
    within_24_hours: 0,
    later: 0,
  };
  const emptyHour = { received: 0, sent: 0, answers: noAnswers, endpoints: [{ endpoint_id: id, ...none }] };
  const hours = Array.from({ length: 25 }, (_, i) => ({ starts_at: iso(thisHour - (24 - i) * HOUR), ...emptyHour }));
  expect(series.slice(0, 23)).toEqual(hours.slice(0, 23));
  expect(series.slice(23)).toEqual([
    {
      ...hours[23],
      received: 2,
      sent: 3,
      answers: { ...noAnswers, within_15_minutes: 1, later: 2 },
      endpoints: [{ endpoint_id: id, ...none, delivered: 1 }],
    },
    { ...hours[24], received: 5, endpoints: [{ endpoint_id: id, ...none, dlq: 4 }] },
  ]);
});

it("GET /v1/stats refuses any other series", async () => {
  for (const series of ["day", "", "HOUR"])
    expect((await api.request(key, `/v1/stats?series=${series}`)).status).toBe(400);
});

it("GET /v1/stats covers only the tenant, and a test key may read it", async () => {
  const id = await newEndpoint();
  await count({ [id]: { delivered: 1 } }, 1);
  expect(await readStats(await api.newKey(tenant, "test"))).toEqual(await readStats());
  expect(await readStats(await api.newKey(newTenant()))).toMatchObject({ messages_24h: 0, endpoints: [] });
});
