import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { shortHash } from "#base/kernel/bytes.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { backoff } from "#base/table/backoff.ts";
import { batchGet, batchRemove } from "#base/table/batches.ts";
import { openTable } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import { below, itemDoesNotExist } from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import { put, remove, sendWrite, update } from "#base/table/writes.ts";
import { headAttributes as Head } from "#features/inbox/store/attributes.ts";
import { headKey } from "#features/inbox/store/items.ts";
import { PENDING_MESSAGES_MAX, pendingChangeStore } from "#features/inbox/store/pending-changes.ts";
import { startTestTable } from "../../support/dynamodb.ts";
import { type Fault, injectFaults } from "../../support/faults.ts";
import { openedOnce } from "../../support/opened.ts";
import { NOW, newTenant, sampleConversationId } from "../../support/stores/samples.ts";
import { leaveUnprocessed } from "../../support/stores/unprocessed.ts";

// The table answers that it cannot do something at this moment. Each request is repeated after a wait, with an end.

const ATTEMPTS = 10;
let tenant: TenantId;
const testTable = openedOnce(startTestTable);
const table = openedOnce(() => openTable(testTable.tableName, testTable.client));
beforeEach(() => {
  tenant = newTenant();
  // The waits are drawn as 0.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const keys = (count: number): Key[] => Array.from({ length: count }, (_, i) => ({ PK: tenant, SK: `K#${i}` }));
const store = (item: Key & Record<string, unknown>) =>
  table.client.send(new PutCommand({ TableName: table.name, Item: item }));
const read = async (key: Key) => (await table.client.send(new GetCommand({ TableName: table.name, Key: key }))).Item;

/** Plays these faults in turn, then none. @returns a function that ends them and returns the number of requests */
function play(...faults: readonly Fault[]): () => number {
  let requests = 0;
  const end = injectFaults(testTable.client, () => faults[requests++] ?? "pass");
  return () => {
    end();
    return requests;
  };
}

describe("a write of an item that a transaction is writing", () => {
  const key = { PK: "conflicts", SK: "item" };
  beforeEach(() => store({ ...key, n: 1 }));

  test.each([
    ["put", () => sendWrite(table, put({ ...key, n: 2 })), { n: 2 }],
    ["update", () => sendWrite(table, update(key, { add: { n: 1 } })), { n: 2 }],
    ["update at most once", () => sendWrite(table, update(key, { add: { n: 1 } }), { atMostOnce: true }), { n: 2 }],
    ["delete", () => sendWrite(table, remove(key)), undefined],
    ["conditional update", () => conditionalWrite(table, update(key, { set: { n: 2 } }, below("n", 2))), { n: 2 }],
  ] as const)("%s: is repeated until it succeeds", async (_name, write, stored) => {
    const end = play(...Array.from({ length: ATTEMPTS - 1 }, () => "conflict" as const));
    await write();
    expect(end()).toBe(ATTEMPTS);
    expect(await read(key)).toEqual(stored && { ...key, ...stored });
  });

  test("a write of an item that a transaction is writing is a fault after ten attempts", async () => {
    const end = play(...Array.from({ length: 50 }, () => "conflict" as const));
    await expect(sendWrite(table, put({ ...key, n: 2 }))).rejects.toThrow("transaction is in progress");
    expect(end()).toBe(ATTEMPTS);
    expect(await read(key)).toEqual({ ...key, n: 1 });
  });

  test("a write of an item that a transaction is writing recognizes its own result when its first answer was lost and its repetition met a conflict", async () => {
    const item = { PK: tenant, SK: "own", op: "this write" };
    const end = play("lost", "conflict");
    const result = await conditionalWrite(table, put(item, itemDoesNotExist), { ownMark: { op: "this write" } });
    expect(end()).toBe(3);
    expect(result).toEqual({ applied: true, item });
  });

  test("a write of an item that a transaction is writing counts once when its first answer was a conflict", async () => {
    const end = play("conflict", "conflict");
    await sendWrite(table, update(key, { add: { n: 1 } }));
    expect(end()).toBe(3);
    expect(await read(key)).toEqual({ ...key, n: 2 });
  });

  test("a transaction is repeated, too, as often", async () => {
    const end = play(...Array.from({ length: 50 }, () => "conflict" as const));
    await expect(conditionalTransaction(table, [put({ ...key, n: 2 })])).rejects.toThrow("transaction is in progress");
    expect(end()).toBe(ATTEMPTS);
  });
});

describe("an unprocessed part of a batch", () => {
  test.each([
    ["a read", "BatchGetItem", () => batchGet(table, keys(3))],
    ["a removal", "BatchWriteItem", () => batchRemove(table, keys(3), { concurrency: 1 })],
  ] as const)("%s is requested again until it is processed", async (_name, kind, request) => {
    await Promise.all(keys(3).map((key) => store({ ...key })));
    const end = leaveUnprocessed(table, kind, ATTEMPTS - 1);
    const items = await request();
    expect(end()).toBe(ATTEMPTS);
    expect(items ?? (await batchGet(table, keys(3)))).toEqual(items ? keys(3) : []);
  });

  test.each([
    ["a read", "BatchGetItem", () => batchGet(table, keys(3))],
    ["a removal", "BatchWriteItem", () => batchRemove(table, keys(3), { concurrency: 1 })],
  ] as const)("%s is a fault after ten requests", async (_name, kind, request) => {
    const end = leaveUnprocessed(table, kind, 50);
    await expect(request()).rejects.toThrow("unprocessed too often");
    expect(end()).toBe(ATTEMPTS);
  });

  test("an unprocessed part of a batch does not make a full head drop its newest pending message", async () => {
    const changes = pendingChangeStore(table);
    const conversation = sampleConversationId(tenant);
    const messages = Array.from({ length: PENDING_MESSAGES_MAX + 1 }, (_, i) => `m${i}`);
    for (const [i, message] of messages.entries()) await changes.unsend(conversation, message, { at: NOW }, NOW + i);
    const [newest = "", ...older] = messages.toReversed();
    for (const message of older) await changes.markPending(conversation, message, NOW);
    const end = leaveUnprocessed(table, "BatchGetItem", 1);
    await changes.markPending(conversation, newest, NOW);
    expect(end()).toBe(2);
    const marks = (await read(headKey(conversation)))?.[Head.pendingMessages] as Set<string>;
    expect([...marks].sort()).toEqual(
      messages
        .slice(PENDING_MESSAGES_MAX / 2)
        .map(shortHash)
        .sort(),
    );
  });
});

test("the waits grow from 40 ms to half a second, and take about 3 seconds together", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "Date"] });
  const waits: number[] = [];
  for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
    const ended = backoff(attempt, () => 1);
    const startedAt = Date.now();
    vi.runAllTimers();
    await ended;
    waits.push(Date.now() - startedAt);
  }
  vi.useRealTimers();
  expect(waits).toEqual([40, 80, 160, 320, 500, 500, 500, 500, 500]);
});
