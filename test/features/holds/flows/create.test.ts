import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { ulidTime } from "#base/kernel/ids.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { DAY, HOUR, MINUTE } from "#base/kernel/time.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { checkUrl, createHold } from "#features/holds/flows/create.ts";
import { getHold } from "#features/holds/flows/view.ts";
import { isHoldSecret } from "#features/holds/rules/holds.ts";
import { CANARY, openHoldFixture, SOURCE_IP } from "../../../support/flows/hold-fixture.ts";
import { queueDepth } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { countedMetrics } from "../../../support/metering/counted-metrics.ts";
import { openedOnce } from "../../../support/opened.ts";
import { newTenant, PERSON } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);

/** The rows of the table that contain the text. */
async function rowsWith(text: string): Promise<string[]> {
  const { Items = [] } = await testEnv.table.client.send(new ScanCommand({ TableName: testEnv.table.name }));
  return Items.filter((item) => JSON.stringify(item).includes(text)).map(({ PK }) => PK);
}

it("a human agent's message is held and not sent, with the secret in the fragment of its link and only the hash in the table", async () => {
  const fixture = await openHoldFixture(testEnv);
  const created = await fixture.newHold();
  expect(created).toEqual({
    id: expect.stringMatching(/^hold_[0-9A-Z]{26}$/),
    conversationId: fixture.conversation,
    createdAt: testEnv.now(),
    expiresAt: testEnv.now() + 15 * MINUTE,
  });
  const url = new URL(await checkUrl(fixture.apiPorts(), created.id));
  expect(url.href).toBe(`https://parley.example/verify?hold=${created.id}#t=${await fixture.secret(created.id)}`);
  const currentHold = await fixture.read(created.id);
  expect(currentHold).toMatchObject({ state: { status: "awaiting_verification" }, hold: { scope: "live" } });
  const { hold } = currentHold as { hold: { secretHash: string } };
  expect(isHoldSecret(url.hash.slice(3), hold.secretHash)).toBe(true);
  expect(await rowsWith(url.hash.slice(3))).toEqual([]);
  expect(fixture.calls).toEqual([]);
  expect(await queueDepth(testEnv.eventSource, fixture.queues.events)).toBe(0);
  expect(await fixture.auditEntries()).toMatchObject([
    {
      action: "hold.create",
      resource: `hold:${created.id}`,
      actor: "key:k1",
      ip: SOURCE_IP,
      detail: { actor_id: "console:usr_1", scope: "live" },
    },
  ]);
});

it("a held message of a signed-in person has the name that the person had then, and one of a key has none", async () => {
  const fixture = await openHoldFixture(testEnv);
  const { tenant } = fixture;
  const person = {
    kind: "session",
    userId: "usr_1",
    email: "ada@example.com",
    name: "Ada",
    epoch: 0,
    csrfToken: "",
  } as const;
  const memberships = [{ tenant, role: "agent", isSuspended: false }] as const;
  const caller: Caller = { ...person, memberships, expiresAt: testEnv.now() + HOUR, scope: "live" };
  const message = { conversationId: fixture.conversation, replyTo: null, actorId: "console:usr_1", text: "hi" };
  const time = startRequestTime(testEnv.now);
  const held = await createHold(fixture.apiPorts(), { caller, ip: null }, message, time);
  if (isRefusal(held)) throw new Error(held.refused);
  expect(await fixture.view(held.id)).toMatchObject({ hold: { actorId: "console:usr_1", actorName: "Ada" } });
  expect(await fixture.view((await fixture.newHold()).id)).toMatchObject({ hold: { actorName: null } });
});

it.each([
  ["a millisecond inside the 24 hours", DAY - 1, "human_agent_early"],
  ["at exactly 24 hours", DAY, null],
  ["a millisecond inside the 7 days", 7 * DAY - 1, null],
] as const)(
  "a human agent's message is judged by the time since the person's last message: %s",
  async (_when, wroteAgo, refused) => {
    const fixture = await openHoldFixture(testEnv, { wroteAgo });
    const result = await fixture.tryCreateHold();
    if (refused) expect(result).toMatchObject({ refused });
    else
      expect(result).toMatchObject({
        expiresAt: Math.min(testEnv.now() + 15 * MINUTE, testEnv.now() + 7 * DAY - wroteAgo),
      });
  },
);

it("a human agent's message is refused after 7 days, even if the account sent a message in the meantime", async () => {
  const fixture = await openHoldFixture(testEnv, { wroteAgo: 7 * DAY - HOUR });
  await fixture.complete(await fixture.newHold());
  testEnv.advance(HOUR - 1);
  expect(await fixture.tryCreateHold()).toMatchObject({ expiresAt: testEnv.now() + 1 });
  testEnv.advance(1);
  expect(await fixture.tryCreateHold()).toMatchObject({ refused: "human_agent_late" });
});

it("a human agent's message is refused without an actor, without a conversation, and for another tenant", async () => {
  const fixture = await openHoldFixture(testEnv);
  expect(await fixture.tryCreateHold({ actorId: null })).toMatchObject({ refused: "missing_actor" });
  const missingConversation = fixture.conversation.replace(/\d$/, "0");
  expect(await fixture.tryCreateHold({ conversationId: missingConversation })).toEqual({
    refused: "conversation_not_found",
  });
  const stranger: Caller = { kind: "tenant_key", keyId: "k2", tenant: newTenant(), scope: "live" };
  const message = { conversationId: fixture.conversation, replyTo: null, actorId: "a", text: "hi" };
  expect(
    await createHold(fixture.apiPorts(), { caller: stranger, ip: null }, message, startRequestTime(testEnv.now)),
  ).toEqual({
    refused: "conversation_not_found",
  });
  const tooLong = await fixture.tryCreateHold({ text: "x".repeat(1_001) });
  expect(tooLong).toMatchObject({ refused: "invalid_request", detail: "text_too_long" });
});

it("a human agent's message checks the budgets but spends nothing: 25 can wait, although only 20 can be sent a day", async () => {
  const fixture = await openHoldFixture(testEnv);
  const holds = [];
  for (let i = 0; i < 25; i++) holds.push(await fixture.newHold());
  expect(new Set(holds.map(({ id }) => id)).size).toBe(25);
  for (const hold of holds.slice(0, 20)) {
    expect(await fixture.complete(hold)).toMatchObject({ state: { status: "sent" } });
    testEnv.advance(2_000);
  }
  expect(await fixture.tryCreateHold()).toMatchObject({ refused: "rate_limited", retryAfter: expect.any(Number) });
  const late = holds[20];
  if (!late) throw new Error("Expected 25 holds.");
  expect(await fixture.complete(late)).toMatchObject({
    state: { status: "failed", error: { code: "rate_limited" } },
  });
  expect(fixture.calls).toHaveLength(20);
});

it("a human agent's message is held once per idempotency key, with the same response and link", async () => {
  const fixture = await openHoldFixture(testEnv);
  const first = await fixture.tryCreateHold({ idempotencyKey: "k" });
  testEnv.advance(MINUTE);
  expect(await fixture.tryCreateHold({ idempotencyKey: "k" })).toEqual(first);
  expect(await fixture.tryCreateHold({ idempotencyKey: "k", text: "another" })).toMatchObject({
    refused: "idempotency_conflict",
  });
  expect(await fixture.auditEntries()).toHaveLength(1);
});

it("a human agent's message stores a result that does not name the person, and returns it in full", async () => {
  const fixture = await openHoldFixture(testEnv);
  const first = await fixture.tryCreateHold({ idempotencyKey: "k" });
  expect(first).toMatchObject({ conversationId: fixture.conversation });
  const { Items = [] } = await testEnv.table.client.send(
    new ScanCommand({ TableName: testEnv.table.name, ConsistentRead: true }),
  );
  const storedKeys = JSON.stringify(Items.filter(({ PK }) => String(PK).startsWith(`IK#${fixture.tenant}#`)));
  expect(storedKeys).toContain((first as { id: string }).id);
  expect(storedKeys).not.toContain(PERSON);
  expect(await fixture.tryCreateHold({ idempotencyKey: "k" })).toEqual(first);
});

it("a human agent's message is not held again when its conversation was erased before the key's result was stored", async () => {
  const fixture = await openHoldFixture(testEnv);
  const ports = fixture.apiPorts();
  const saveResult = () => Promise.reject(new Error("injected"));
  const failingPorts = { ...ports, idempotencyKeys: { ...ports.idempotencyKeys, saveResult } };
  await fixture.tryCreateHold({ idempotencyKey: "k" }, failingPorts);
  testEnv.advance(1);
  const erasure = {
    tenant: fixture.tenant,
    conversationId: fixture.conversation,
    author: { caller: fixture.caller, ip: SOURCE_IP },
    now: testEnv.now(),
    time: testEnv,
  };
  await eraseConversation(ports, erasure, () => true);
  testEnv.advance(MINUTE);
  expect(await fixture.tryCreateHold({ idempotencyKey: "k" })).toEqual({
    refused: "outcome_unknown",
    detail: "outcome_unknown",
  });
});

it("a human agent's message does not consume the key when its content is invalid", async () => {
  const fixture = await openHoldFixture(testEnv);
  for (const invalidContent of [{ text: "x".repeat(1_001) }, { text: null, attachments: [] }]) {
    expect(await fixture.tryCreateHold({ idempotencyKey: "k", ...invalidContent })).toMatchObject({
      refused: "invalid_request",
    });
  }
  expect(await fixture.tryCreateHold({ idempotencyKey: "k", text: "short enough" })).toHaveProperty("id");
});

it("a human agent's message is held for its full time hours later with the same key if the first request wrote nothing", async () => {
  const fixture = await openHoldFixture(testEnv);
  const ports = fixture.apiPorts();
  const create = () => Promise.reject(new Error("injected"));
  const failingPorts = { ...ports, holds: { ...ports.holds, create } };
  await expect(fixture.tryCreateHold({ idempotencyKey: "k" }, failingPorts)).rejects.toThrow("injected");
  testEnv.advance(6 * HOUR);
  const hold = await fixture.tryCreateHold({ idempotencyKey: "k" });
  if (isRefusal(hold)) throw new Error(hold.refused);
  expect(ulidTime(hold.id.slice("hold_".length))).toBe(testEnv.now());
  expect(hold.expiresAt).toBe(testEnv.now() + 15 * MINUTE);
});

it("reading a hold works for its tenant for 30 minutes; every other request gets the same hold_not_found", async () => {
  const fixture = await openHoldFixture(testEnv);
  const { id } = await fixture.newHold();
  const notFound = { refused: "hold_not_found" };
  const stranger: Caller = { kind: "tenant_key", keyId: "k2", tenant: newTenant(), scope: "live" };
  expect(await getHold(fixture.apiPorts(), stranger, id, testEnv.now())).toEqual(notFound);
  for (const other of [`${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`, "hold_x", "", `${id}\n`])
    expect(await fixture.read(other)).toEqual(notFound);
  testEnv.advance(30 * MINUTE - 1);
  expect(await fixture.read(id)).toMatchObject({ state: { status: "expired" } });
  testEnv.advance(1);
  expect(await fixture.read(id)).toEqual(notFound);
});

it("reading a hold reports the expiry when it comes, and then no row contains the message", async () => {
  const fixture = await openHoldFixture(testEnv);
  const text = `${CANARY} of ${fixture.tenant}`;
  const { id, expiresAt } = await fixture.newHold({ text });
  testEnv.advance(expiresAt - testEnv.now() - 1);
  expect(await fixture.read(id)).toMatchObject({ state: { status: "awaiting_verification" } });
  expect(await rowsWith(text)).toEqual([`H#${id}`]);
  testEnv.advance(1);
  expect(await fixture.read(id)).toMatchObject({ state: { status: "expired" }, hold: { content: null } });
  expect(await rowsWith(text)).toEqual([]);
});

it("reading a hold shows that a hold created five minutes before the end of the window expires with it", async () => {
  const fixture = await openHoldFixture(testEnv, { wroteAgo: 7 * DAY - 5 * MINUTE });
  const hold = await fixture.newHold();
  expect(hold.expiresAt).toBe(testEnv.now() + 5 * MINUTE);
  testEnv.advance(5 * MINUTE);
  expect(await fixture.complete(hold)).toMatchObject({ refused: "hold_expired", detail: "expired" });
  expect(fixture.calls).toEqual([]);
});

it("erasing the conversation removes its holds, waiting and ended, and counts them", async () => {
  const fixture = await openHoldFixture(testEnv);
  const sent = await fixture.newHold();
  await fixture.complete(sent);
  const { id } = await fixture.newHold();
  const { tenant, conversation: conversationId, caller } = fixture;
  const request = { tenant, conversationId, author: { caller, ip: null }, now: testEnv.now(), time: testEnv };
  const erased = await eraseConversation(fixture.apiPorts(), request, () => true);
  expect(erased).toMatchObject({ done: true, removed: { holds: 2 } });
  expect(await fixture.read(id)).toEqual({ refused: "hold_not_found" });
  expect(await fixture.complete({ id, conversationId: "", createdAt: 0, expiresAt: testEnv.now() + 1 })).toMatchObject({
    refused: "hold_not_found",
  });
  expect(await fixture.tryCreateHold()).toEqual({ refused: "conversation_not_found" });
  expect(fixture.calls).toHaveLength(1);
});

it("a message that is held is counted once", async () => {
  const fixture = await openHoldFixture(testEnv);
  testEnv.lines.length = 0;
  const { id } = await fixture.newHold();
  await fixture.read(id);
  expect(countedMetrics(testEnv.lines)).toEqual([{ HoldsCreated: 1 }]);
});
