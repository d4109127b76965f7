import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, SECOND } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { UnknownOutcome } from "#base/table/writes.ts";
import { NO_ANSWERS } from "#features/stats/rules.ts";
import { counterStore } from "#features/stats/store.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant, sampleCounts } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";

const THIS_HOUR = NOW - (NOW % HOUR);
const noCounts = { delivered: 0, failed: 0, dlq: 0 };
let tenant: TenantId;
const [firstEndpoint, secondEndpoint] = [newUlid(NOW), newUlid(NOW)];
const table = openedOnce(openTestTable);
const counters = openedOnce(() => counterStore(table));
beforeEach(() => {
  tenant = newTenant();
});

const messages = (count: number) => sampleCounts({ received: count });
const readCounts = async (now = NOW) => {
  const counts = await counters.window(tenant, now);
  return { messages: counts.messages, one: counts.forEndpoint(firstEndpoint), two: counts.forEndpoint(secondEndpoint) };
};
const readItem = async (hour: number) => {
  const Key = { PK: `S#${tenant}`, SK: String(hour) };
  return (await table.client.send(new GetCommand({ TableName: table.name, Key }))).Item;
};

it("the counters of a tenant sum up all batches, per endpoint and state", async () => {
  const one = new Map([[firstEndpoint, { ...noCounts, delivered: 2 }]]);
  await counters.add(tenant, sampleCounts({ received: 2, sent: 1, endpoints: one }), NOW);
  const both = new Map([
    [firstEndpoint, { delivered: 1, failed: 4, dlq: 0 }],
    [secondEndpoint, { delivered: 0, failed: 0, dlq: 5 }],
  ]);
  await counters.add(tenant, sampleCounts({ endpoints: both }), NOW + 1);
  expect(await readCounts()).toEqual({
    messages: 3,
    one: { delivered: 3, failed: 4, dlq: 0 },
    two: { delivered: 0, failed: 0, dlq: 5 },
  });
});

it("the counters of a tenant belong to one tenant, and are zero where nothing was counted", async () => {
  await counters.add(newTenant(), messages(9), NOW);
  expect(await readCounts()).toEqual({ messages: 0, one: noCounts, two: noCounts });
});

it("the counters of a tenant create no item for an empty batch", async () => {
  await counters.add(tenant, sampleCounts({ endpoints: new Map([[firstEndpoint, noCounts]]) }), NOW);
  expect(await readItem(THIS_HOUR)).toBeUndefined();
});

it("the counters of a tenant lose nothing when twenty batches are added at once", async () => {
  const endpoints = new Map([[firstEndpoint, { ...noCounts, failed: 1 }]]);
  const each = sampleCounts({ received: 1, endpoints });
  await Promise.all(Array.from({ length: 20 }, () => counters.add(tenant, each, NOW)));
  expect(await readCounts()).toMatchObject({ messages: 20, one: { failed: 20 } });
});

it("the window of the counters is the current hour and the 24 before it, to the millisecond", async () => {
  await counters.add(tenant, messages(1), THIS_HOUR - 24 * HOUR - 1);
  await counters.add(tenant, messages(10), THIS_HOUR - 24 * HOUR);
  await counters.add(tenant, messages(100), THIS_HOUR - 1);
  await counters.add(tenant, messages(1_000), THIS_HOUR);
  expect((await readCounts(THIS_HOUR)).messages).toBe(1_110);
  expect((await readCounts(THIS_HOUR + HOUR - 1)).messages).toBe(1_110);
  expect((await readCounts(THIS_HOUR + HOUR)).messages).toBe(1_100);
  expect((await readCounts(THIS_HOUR + 25 * HOUR)).messages).toBe(0);
});

it("the window of the counters includes counts of a worker whose clock is ahead", async () => {
  await counters.add(tenant, messages(2), THIS_HOUR + HOUR);
  expect((await readCounts(THIS_HOUR + HOUR - 1)).messages).toBe(2);
});

it("the hours of the counters have what was counted in each, and the last one what a clock that is ahead counted", async () => {
  const answers = { ...NO_ANSWERS, within1Hour: 1, within24Hours: 2 };
  await counters.add(tenant, sampleCounts({ received: 9 }), THIS_HOUR - 24 * HOUR - 1);
  await counters.add(tenant, sampleCounts({ received: 1 }), THIS_HOUR - 24 * HOUR);
  await counters.add(tenant, sampleCounts({ received: 2, sent: 3, answers }), THIS_HOUR - 1);
  await counters.add(tenant, sampleCounts({ sent: 4 }), THIS_HOUR);
  await counters.add(tenant, sampleCounts({ sent: 5, answers }), THIS_HOUR + HOUR);
  const { hours, received, sent } = await counters.window(tenant, THIS_HOUR + HOUR - 1);
  expect(hours.map(({ startsAt }) => startsAt)).toEqual(
    Array.from({ length: 25 }, (_, i) => THIS_HOUR + (i - 24) * HOUR),
  );
  const shown = (index: number) => {
    const { received, sent, answers, messages } = hours.at(index) ?? {};
    return { received, sent, answers, messages };
  };
  expect(shown(0)).toEqual({ received: 1, sent: 0, answers: NO_ANSWERS, messages: 1 });
  expect(shown(1)).toEqual({ received: 0, sent: 0, answers: NO_ANSWERS, messages: 0 });
  expect(shown(-2)).toEqual({ received: 2, sent: 3, answers, messages: 5 });
  expect(shown(-1)).toEqual({ received: 0, sent: 9, answers, messages: 9 });
  expect({ received, sent }).toEqual({ received: 3, sent: 12 });
});

it("the window of the counters reads items that expire eight days after their hour started", async () => {
  await counters.add(tenant, messages(1), NOW);
  expect((await readItem(THIS_HOUR))?.x).toBe((THIS_HOUR + 8 * DAY) / SECOND);
});

it("the claim to count a message succeeds once, as long as the event could arrive again", async () => {
  const event = newUlid(NOW);
  expect(await counters.claimCount(tenant, event, NOW)).toBe(true);
  expect(await counters.claimCount(tenant, event, NOW + DAY)).toBe(false);
  expect(await counters.claimCount(newTenant(), event, NOW)).toBe(true);
  expect(await counters.claimCount(tenant, newUlid(NOW), NOW)).toBe(true);
});

it.each<Fault>(["lost", "fail", "throttle"])(
  "the claim to count a message succeeds for its caller when the response was: %s",
  async (fault) => {
    let attempts = 0;
    const end = injectFaults(table.client, () => (attempts++ === 0 ? fault : "pass"));
    expect(await counters.claimCount(tenant, firstEndpoint, NOW)).toBe(true);
    end();
    expect(attempts).toBe(2);
    expect(await counters.claimCount(tenant, firstEndpoint, NOW)).toBe(false);
  },
);

it.each<Fault>(["lost", "twice", "throttle"])("a lost response (%s) still counts the batch once", async (fault) => {
  await counters.add(tenant, messages(1), NOW);
  let attempts = 0;
  const end = injectFaults(table.client, () => (attempts++ === 0 ? fault : "pass"));
  await counters.add(tenant, messages(10), NOW);
  end();
  expect(attempts).toBe(fault === "twice" ? 1 : 2);
  expect((await readCounts()).messages).toBe(11);
  await counters.add(tenant, messages(100), NOW);
  expect((await readCounts()).messages).toBe(111);
});

it("a lost response counts the batch once when another is added before the check, and reports an unknown outcome", async () => {
  let attempts = 0;
  const end = injectFaults(table.client, async () => {
    attempts++;
    if (attempts === 2) await counters.add(tenant, messages(100), NOW);
    return attempts === 1 ? "lost" : "pass";
  });
  await expect(counters.add(tenant, messages(10), NOW)).rejects.toThrow(UnknownOutcome);
  end();
  expect((await readCounts()).messages).toBe(110);
});

it("a lost response of a failed request leaves the batch uncounted and reports an unknown outcome", async () => {
  let attempts = 0;
  const end = injectFaults(table.client, () => (attempts++ === 0 ? "fail" : "pass"));
  await expect(counters.add(tenant, messages(10), NOW)).rejects.toThrow(UnknownOutcome);
  end();
  expect((await readCounts()).messages).toBe(0);
});

it("a lost response delays a worker for at most two seconds", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  const startedAt = performance.now();
  const adding = counterStore(openTable("none", client)).add(tenant, messages(1), NOW);
  await expect(adding).rejects.toMatchObject({ name: "AbortError" });
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  client.destroy();
  silent.closeAllConnections();
  silent.close();
});
