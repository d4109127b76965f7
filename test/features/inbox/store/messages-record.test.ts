import { GetCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { MESSAGE_ID_CHARS_MAX } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { openTable } from "#base/table/client.ts";
import type { Message } from "#features/inbox/rules/messages.ts";
import { messageIdIndex, messageKey } from "#features/inbox/store/items.ts";
import { messageChangeStore } from "#features/inbox/store/message-changes.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { outboundMessageStore } from "#features/inbox/store/outbound-messages.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant, sampleConversationId, sampleMessage, toTenantId } from "../../../support/stores/samples.ts";

const table = openedOnce(startTestTable);
const messages = openedOnce(() => messageStore(openTable(table.tableName, table.client)));
const outbound = openedOnce(() => outboundMessageStore(openTable(table.tableName, table.client)));

async function listAll(tenant: TenantId): Promise<Message[]> {
  const page = await messages.feed(tenant, { includeTest: false, direction: null, before: null, limit: 100, now: NOW });
  return page.rows.map(({ message }) => message);
}

it("a recorded message is one row however often it arrives, and always returns the first event", async () => {
  const tenant = newTenant();
  const first = sampleMessage(tenant, { id: "m1" });
  const again = { ...first, eventUlid: newUlid(NOW + 60_000), text: "rewritten" };
  const recorded = await messages.record(tenant, first, NOW);
  expect(recorded).toMatchObject({ isNew: true, message: { eventUlid: first.eventUlid } });
  const repeated = await messages.record(tenant, again, NOW + 60_000);
  expect(repeated).toEqual({ message: first, ref: recorded.ref, isNew: false });
  expect(await listAll(tenant)).toEqual([first]);
});

it("a recorded message is read back field by field, with and without optional ones", async () => {
  const tenant = newTenant();
  const full = sampleMessage(tenant, {
    id: "full",
    participant: { id: "9", handle: "@nine", username: "Nine", name: null },
    attachments: [
      { type: "image", url: "https://cdn.example/1" },
      { type: "unsupported", url: null },
    ],
    replyTo: "m0",
    actorId: "usr_1",
    text: "𝒳 and ✓",
  });
  const bare = sampleMessage(tenant, { id: "bare", text: "", sentAt: NOW - 1 });
  await messages.record(tenant, full, NOW);
  await messages.record(tenant, bare, NOW);
  expect(await listAll(tenant)).toEqual([full, bare]);
  expect(await messages.getById(tenant, "full", NOW)).toEqual(full);
});

it("a recorded message is found in a batch by its ref, once, and a missing one is absent", async () => {
  const tenant = newTenant();
  const refs = [];
  for (let i = 0; i < 130; i++) {
    refs.push((await messages.record(tenant, sampleMessage(tenant, { id: `b${i}` }), NOW)).ref);
  }
  const missing = { conversationId: sampleConversationId(tenant), position: "0000000000000#none" };
  const byRefs = await messages.getByRefs(tenant, [...refs, ...refs.slice(0, 5), missing]);
  expect([...byRefs.values()].map(({ id }) => id).sort()).toEqual(refs.map((_, i) => `b${i}`).sort());
});

it("an id of 512 characters in any script is found and fits the index's key", async () => {
  const tenant = newTenant();
  const id = "語".repeat(MESSAGE_ID_CHARS_MAX);
  await messages.record(tenant, sampleMessage(tenant, { id }), NOW);
  expect((await messages.getById(tenant, id, NOW))?.id).toBe(id);
  expect(Buffer.byteLength(messageIdIndex(toTenantId("t".repeat(40)), id))).toBeLessThanOrEqual(2_048);
});

it("an id that no message can have is not queried", async () => {
  const tenant = newTenant();
  const end = injectFaults(table.client, () => "crash");
  await expect(messages.getById(tenant, "x".repeat(MESSAGE_ID_CHARS_MAX), NOW)).rejects.toThrow("crashed");
  expect(await messages.getById(tenant, "x".repeat(MESSAGE_ID_CHARS_MAX + 1), NOW)).toBeNull();
  end();
});

it("a row under another tenant's conversation is a fault", async () => {
  const [owner, thief] = [newTenant(), newTenant()];
  const { ref } = await messages.record(owner, sampleMessage(owner, { id: "private" }), NOW);
  await expect(messages.getByRefs(thief, [ref])).rejects.toThrow("another tenant");
  const query = { ...ref, direction: null, includeTest: true, before: null, limit: 10, now: NOW };
  await expect(messages.listByConversation(thief, query)).rejects.toThrow("another tenant");
  expect(await messages.getById(thief, "private", NOW)).toBeNull();
  expect(await listAll(thief)).toEqual([]);
});

const SENT = NOW;
const ECHOED = NOW + 871;
const send = (tenant: TenantId) =>
  sampleMessage(tenant, { id: "out", direction: "outbound", actorId: "usr_1", text: "hi", sentAt: SENT });
const echo = (tenant: TenantId) => sampleMessage(tenant, { id: "out", direction: "echo", text: "hi", sentAt: ECHOED });

async function expectOne(tenant: TenantId, direction: "outbound" | "echo"): Promise<void> {
  const [only, ...more] = await listAll(tenant);
  expect(more).toEqual([]);
  expect(only).toMatchObject({ id: "out", direction, text: "hi" });
  expect(only).toMatchObject(
    direction === "outbound"
      ? { sentVia: "api_in_window", actorId: "usr_1" }
      : { sentVia: "native_app", actorId: null },
  );
  expect(await messages.getById(tenant, "out", NOW)).toEqual(only);
}

it.each([
  ["the send first", ["send", "echo"], "outbound"],
  ["the echo first", ["echo", "send"], "outbound"],
  ["the echo twice", ["echo", "echo"], "echo"],
  ["the echo around the send", ["echo", "send", "echo"], "outbound"],
  ["the echo twice after the send", ["send", "echo", "echo"], "outbound"],
] as const)("a send and its echo are one message with one event: %s", async (_name, order, direction) => {
  const tenant = newTenant();
  const events = new Set<string>();
  const wasNew: boolean[] = [];
  for (const [step, kind] of order.entries()) {
    const message = kind === "send" ? send(tenant) : echo(tenant);
    const recorded = await outbound.record(tenant, { ...message, eventUlid: newUlid(message.sentAt + step) }, ECHOED);
    events.add(recorded.message.eventUlid);
    wasNew.push(recorded.isNew);
  }
  expect(events.size).toBe(1);
  expect(wasNew).toEqual(order.map((_, step) => step === 0));
  await expectOne(tenant, direction);
});

it("a send and its echo are one message when both write at once, for any order of their requests", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const tenant = newTenant();
      const end = injectFaults(table.client, ({ command }) =>
        command === "PutItem" || command === "UpdateItem" ? scheduler.schedule(Promise.resolve<Fault>("pass")) : "pass",
      );
      try {
        const both = Promise.all([
          outbound.record(tenant, send(tenant), ECHOED),
          outbound.record(tenant, echo(tenant), ECHOED),
        ]);
        await scheduler.waitFor(both);
        const [one, other] = await both;
        expect(one.ref).toEqual(other.ref);
        expect(one.message.eventUlid).toBe(other.message.eventUlid);
        expect([one.isNew, other.isNew].filter(Boolean)).toHaveLength(1);
      } finally {
        end();
      }
      await expectOne(tenant, "outbound");
    }),
    { numRuns: 40 },
  );
});

it.each(["send", "echo"] as const)(
  "a send and its echo are one message when the %s dies between its marker and its row, and the row has its position's time",
  async (dying) => {
    const tenant = newTenant();
    const [first, second] = dying === "send" ? [send(tenant), echo(tenant)] : [echo(tenant), send(tenant)];
    const end = injectFaults(table.client, ({ index }) => (index >= 1 ? "crash" : "pass"));
    await expect(outbound.record(tenant, first, ECHOED)).rejects.toThrow("crashed");
    end();
    const recorded = await outbound.record(tenant, second, ECHOED);
    expect(recorded.message.eventUlid).toBe(first.eventUlid);
    expect(recorded.message.sentAt).toBe(first.sentAt);
    expect(recorded.ref.position).toMatch(new RegExp(`^${first.sentAt}#`));
    await expectOne(tenant, "outbound");
  },
);

it.each(["echo first", "send first"] as const)(
  "a send and its echo survive a lost response at any request: %s",
  async (order) => {
    for (let k = 0; ; k++) {
      const tenant = newTenant();
      let reached = false;
      const end = injectFaults(table.client, ({ index }) => {
        if (index !== k) return "pass";
        reached = true;
        return "lost";
      });
      const steps = order === "echo first" ? [echo(tenant), send(tenant)] : [send(tenant), echo(tenant)];
      for (const step of steps) await outbound.record(tenant, step, ECHOED);
      end();
      await expectOne(tenant, "outbound");
      if (!reached) {
        expect(k).toBeGreaterThanOrEqual(4);
        return;
      }
    }
  },
);

const sentUpload = (tenant: TenantId) => ({
  ...send(tenant),
  text: "",
  attachments: [{ type: "image", url: null }] as const,
});
const firstUrls = ["https://cdn.example/1"];

it("the URLs of an echo are stored once: a repetition and later ones change nothing", async () => {
  const tenant = newTenant();
  const recorded = await outbound.record(tenant, sentUpload(tenant), SENT);
  const withUrls = { ...recorded.message, echoedUrls: firstUrls };
  expect(await outbound.saveEchoedUrls(tenant, recorded, firstUrls)).toEqual(withUrls);
  for (const urls of [firstUrls, ["https://cdn.example/2"]]) {
    expect(await outbound.saveEchoedUrls(tenant, recorded, urls)).toEqual(withUrls);
    expect(await listAll(tenant)).toEqual([withUrls]);
  }
});

it("the URLs of an echo are not stored in a message that was unsent since it was read", async () => {
  const tenant = newTenant();
  const recorded = await outbound.record(tenant, sentUpload(tenant), SENT);
  const unsent = await messageChangeStore(openTable(table.tableName, table.client)).unsend(tenant, recorded.ref, {
    at: ECHOED,
  });
  expect(await outbound.saveEchoedUrls(tenant, recorded, firstUrls)).toEqual(unsent);
  expect(await listAll(tenant)).toEqual([unsent]);
});

it("the URLs of an echo do not restore a message that was erased since it was read", async () => {
  const tenant = newTenant();
  const recorded = await outbound.record(tenant, sentUpload(tenant), SENT);
  await messages.remove(tenant, recorded.ref);
  expect(await outbound.saveEchoedUrls(tenant, recorded, firstUrls)).toEqual(recorded.message);
  expect(
    await table.client.send(
      new GetCommand({
        TableName: table.tableName,
        Key: messageKey(recorded.ref.conversationId, recorded.ref.position),
      }),
    ),
  ).not.toHaveProperty("Item");
});
