import { afterAll, beforeEach, expect, it } from "vitest";
import { deriveEventUlid } from "#base/events/events.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { openTable } from "#base/table/client.ts";
import { deriveErasureId, messageMarks } from "#features/erasure/rules/erasures.ts";
import { erasureStore } from "#features/erasure/store/erasures.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { NOW, newTenant, SAMPLE_INBOX, sampleConversationId, sampleMessage } from "../../../support/stores/samples.ts";
import { openWorldTable } from "../../../support/world/world-table.ts";

const world = openWorldTable(() => NOW);
const table = openTable(world.tableName, world.client);
const erasures = erasureStore(table);
const conversations = conversationStore(table);
afterAll(() => world.close());

let tenant: TenantId;
let conversation: string;
beforeEach(async () => {
  tenant = newTenant();
  conversation = sampleConversationId(tenant);
  await receive("first", NOW);
});

const receive = (id: string, sentAt: number) =>
  conversations.advanceHead(tenant, sampleMessage(tenant, { id, sentAt }), SAMPLE_INBOX);
const read = () => erasures.getWithHead(conversation, NOW);
const newRequest = () => ({ erasedAt: NOW, op: newUlid(NOW), actor: "key:k", ip: null, member: null });

it("an erasure does not start when the conversation has changed since it was read", async () => {
  const { head } = await read();
  await receive("second", NOW + 1);
  expect(await erasures.start(tenant, conversation, head, newRequest())).toBe("stale");
  const { head: current, erasure } = await read();
  expect(erasure).toBeNull();
  expect(current.lastAt).toBe(NOW + 1);
});

it("an erasure that did not start because the conversation changed starts from what is read then", async () => {
  const { head } = await read();
  await receive("second", NOW + 1);
  const request = newRequest();
  expect(await erasures.start(tenant, conversation, head, request)).toBe("stale");
  const { head: current } = await read();
  expect(await erasures.start(tenant, conversation, current, { ...request, erasedAt: NOW + 1 })).toBe("started");
  expect((await read()).erasure).toMatchObject({ op: request.op, erasedAt: NOW + 1 });
});

it("an erasure does not start during the first pass of another", async () => {
  const { head } = await read();
  const request = newRequest();
  expect(await erasures.start(tenant, conversation, head, request)).toBe("started");
  const { head: erasedHead } = await read();
  expect(await erasures.start(tenant, conversation, erasedHead, newRequest())).toBe("stale");
  expect((await read()).erasure).toMatchObject({ op: request.op, phase: "first" });
});

it("a page that two runs have read is counted by the first of them", async () => {
  const { head } = await read();
  await erasures.start(tenant, conversation, head, newRequest());
  const { erasure } = await read();
  if (!erasure) throw new Error("The erasure has not started.");
  const page = { upTo: "M#1", removed: { messages: 3 }, ulids: [], bodies: [] };
  expect(await erasures.countPage(erasure, page)).toMatchObject({ upTo: "M#1", removed: { messages: 3 } });
  expect(await erasures.countPage(erasure, page)).toBeNull();
  expect((await read()).erasure?.removed).toMatchObject({ messages: 3 });
});

it("a dropped message has one mark, however often it is dropped", async () => {
  const erased = { id: deriveErasureId(conversation), erasedAt: NOW };
  const before = world.items().length;
  for (const intake of [NOW, NOW + 1]) {
    await erasures.saveMark(erased, deriveEventUlid(tenant, "m1", "message.received", intake));
  }
  expect(world.items()).toHaveLength(before + 1);
  expect(await erasures.isRemoved(conversation, messageMarks(tenant, "m1"))).toBe(true);
  expect(await erasures.isRemoved(conversation, messageMarks(tenant, "m2"))).toBe(false);
});
