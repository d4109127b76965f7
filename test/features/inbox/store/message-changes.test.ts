import { afterAll, beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { openTable } from "#base/table/client.ts";
import type { MessageRef } from "#features/inbox/rules/messages.ts";
import { messageChangeStore } from "#features/inbox/store/message-changes.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { pendingChangeStore } from "#features/inbox/store/pending-changes.ts";
import { NOW, newTenant, sampleConversationId, sampleMessage } from "../../../support/stores/samples.ts";
import { openWorldTable } from "../../../support/world/world-table.ts";

const world = openWorldTable(() => NOW);
const table = openTable(world.tableName, world.client);
const changes = messageChangeStore(table);
const pendingChanges = pendingChangeStore(table);
afterAll(() => world.close());

let tenant: TenantId;
let conversation: string;
let ref: MessageRef;
beforeEach(async () => {
  tenant = newTenant();
  conversation = sampleConversationId(tenant);
  ({ ref } = await messageStore(table).record(tenant, sampleMessage(tenant, { id: "m1" }), NOW));
});

const secret = { text: "secret", count: 1, at: NOW };
const hasText = (text: string) => JSON.stringify(world.items()).includes(`"${text}"`);

it("an edit of an unsent message stores no text", async () => {
  await changes.unsend(tenant, ref, { at: NOW });
  expect(await changes.edit(tenant, ref, secret)).toMatchObject({ unsentAt: NOW });
  expect(hasText(secret.text)).toBe(false);
});

it("an earlier edit does not replace a later one", async () => {
  await changes.edit(tenant, ref, { text: "second edit", count: 2, at: NOW });
  expect(await changes.edit(tenant, ref, secret)).toMatchObject({ edit: { text: "second edit", count: 2 } });
  expect(hasText(secret.text)).toBe(false);
});

it("an edit after a pending unsend stores no text", async () => {
  await pendingChanges.unsend(conversation, "m2", { at: NOW }, NOW);
  expect(await pendingChanges.edit(conversation, "m2", secret, NOW)).toMatchObject({ unsentAt: NOW });
  expect(hasText(secret.text)).toBe(false);
});

it("an earlier pending edit does not replace a later one", async () => {
  await pendingChanges.edit(conversation, "m2", { text: "second edit", count: 2, at: NOW }, NOW);
  await pendingChanges.edit(conversation, "m2", secret, NOW);
  expect(await pendingChanges.get(conversation, "m2")).toMatchObject({ edit: { count: 2 } });
});

it("clearing a pending change creates no head", async () => {
  const before = world.items();
  await pendingChanges.clearPending(conversation, "m1");
  expect(world.items()).toEqual(before);
});
