import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import type { Key } from "#base/table/keys.ts";
import { relatedKeys, relatedRefKey } from "#features/erasure/store/items.ts";
import { traceStore } from "#features/erasure/store/traces.ts";
import { SEND_SETTLE_DEADLINE } from "#features/sending/rules/sends.ts";
import { conversationBudgetKey, dueSendKey } from "#features/sending/store/items.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant, sampleConversationId } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";
import { leaveUnprocessed } from "../../../support/stores/unprocessed.ts";

let tenant: TenantId;
let conversation: string;
const table = openedOnce(openTestTable);
beforeEach(() => {
  tenant = newTenant();
  conversation = sampleConversationId(tenant);
});

const put = (Item: object) => table.client.send(new PutCommand({ TableName: table.name, Item }));
const traces = () => traceStore(table);
const sampleKeys = (count: number): Key[] =>
  Array.from({ length: count }, (_, i) => ({ PK: conversation, SK: `X#${String(i).padStart(3, "0")}` }));

it("the rows of a conversation each have a kind and a time, and name the related items elsewhere", async () => {
  const [message, edit, send] = [newUlid(NOW), newUlid(NOW), newUlid(NOW - 5)];
  const place = `${NOW}#abc`;
  await put({ PK: conversation, SK: "~HEAD", la: NOW });
  await put({ PK: conversation, SK: `M#${place}`, e: message });
  await put({ PK: conversation, SK: "K#abc", p: `${NOW - 1}#abc`, e: message });
  await put({ PK: conversation, SK: "E#abc", e: edit, at: NOW - 2 });
  await put({ PK: conversation, SK: "C#abc", ca: NOW - 3 });
  await put({ PK: conversation, SK: `J#${send}`, ca: NOW - 5 });
  await put({ ...conversationBudgetKey(conversation, "live"), at: NOW - 6 });
  await put({ ...relatedRefKey(conversation, "hold", "hold_1"), at: NOW - 4 });
  await put({ ...relatedRefKey(conversation, "upload", "upl_1"), at: NOW - 4 });
  await put({ PK: conversation, SK: "F#of a kind that came later", at: NOW - 6 });
  await put({ PK: conversation, SK: "D#without a time" });
  const { traces: allTraces } = await traces().page(conversation, " ");
  const summaries = allTraces.map(({ key, counts, at, event, relatedItems: elsewhere }) => [
    key.SK.slice(0, 1),
    counts,
    at,
    event,
    elsewhere,
  ]);
  expect(summaries).toEqual([
    ["A", null, NOW - 4, null, [{ counts: "holds", key: relatedKeys.hold("hold_1") }]],
    ["A", null, NOW - 4, null, [{ counts: "uploads", key: relatedKeys.upload("upl_1") }]],
    ["B", null, NOW - 6, null, []],
    ["C", "markers", NOW - 3 - MINUTE, null, []],
    ["D", "markers", 0, null, []],
    ["E", "markers", NOW - 2, { ulid: edit, hasStoredBody: true }, []],
    ["F", "markers", NOW - 6, null, []],
    ["J", "sendRecords", NOW - 5, null, [{ counts: null, key: dueSendKey(NOW - 5 + SEND_SETTLE_DEADLINE, send) }]],
    ["K", "markers", NOW - 1, { ulid: message, hasStoredBody: false }, []],
    ["M", "messages", NOW, { ulid: message, hasStoredBody: false }, []],
  ]);
});

it("the rows of a conversation come in pages of a hundred, each once, without the head", async () => {
  for (const key of sampleKeys(230)) await put(key);
  await put({ PK: conversation, SK: "~HEAD", la: NOW });
  const counts: string[] = [];
  const sizes: number[] = [];
  for (let behind = " "; ; ) {
    const page = await traces().page(conversation, behind);
    if (page.last === null) break;
    counts.push(...page.traces.map(({ key }) => key.SK));
    sizes.push(page.traces.length);
    behind = page.last;
  }
  expect(sizes).toEqual([100, 100, 30]);
  expect(counts).toEqual(sampleKeys(230).map(({ SK }) => SK));
});

it("an unprocessed part of a batch is removed by a later request", async () => {
  const keys = sampleKeys(30);
  for (const key of keys) await put(key);
  const end = leaveUnprocessed(table, "BatchWriteItem", 1);
  await traces().remove([...keys, ...keys]);
  expect(end()).toBe(3);
  expect(await traces().filterExisting(keys)).toEqual([]);
});

it("an unprocessed part of a batch is found by a later request", async () => {
  const keys = sampleKeys(120);
  for (const key of keys.slice(0, 110)) await put(key);
  const end = leaveUnprocessed(table, "BatchGetItem", 1);
  const existing = await traces().filterExisting([...keys, ...keys]);
  expect(end()).toBe(3);
  expect(existing.map(({ SK }) => SK).sort()).toEqual(keys.slice(0, 110).map(({ SK }) => SK));
});
