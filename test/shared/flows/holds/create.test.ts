import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "../../../../shared/domain/access/api-keys.ts";
import { isHoldSecret } from "../../../../shared/domain/holds/holds.ts";
import { eraseConversation } from "../../../../shared/flows/erasure/erase.ts";
import { createHold, verifyUrlOf } from "../../../../shared/flows/holds/create.ts";
import { readHold } from "../../../../shared/flows/holds/get.ts";
import { timeOfUlid } from "../../../../shared/kernel/ids.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { DAY, HOUR, MINUTE } from "../../../../shared/kernel/time.ts";
import { newTenant, PERSON } from "../../stores/support/samples.ts";
import { CANARY, openHoldScene, SOURCE } from "../support/hold-scene.ts";
import { type House, openHouse } from "../support/house.ts";
import { depth } from "../support/queue-work.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Every row of the table that says what was held. */
async function rowsWith(text: string): Promise<string[]> {
  const { Items = [] } = await house.table.client.send(new ScanCommand({ TableName: house.table.name }));
  return Items.filter((item) => JSON.stringify(item).includes(text)).map(({ PK }) => PK);
}

describe("a human agent's message", () => {
  it("is held and not sent; its link has the secret behind the #, of which the table has the hash alone", async () => {
    const scene = await openHoldScene(house);
    const made = await scene.hold();
    expect(made).toEqual({
      id: expect.stringMatching(/^hold_[0-9A-Z]{26}$/),
      conversationId: scene.conversation,
      createdAt: house.now(),
      expiresAt: house.now() + 15 * MINUTE,
    });
    const url = new URL(await verifyUrlOf(scene.apiPorts(), made.id));
    expect(url.href).toBe(`https://parley.example/verify?hold=${made.id}#t=${await scene.secret(made.id)}`);
    const standing = await scene.read(made.id);
    expect(standing).toMatchObject({ state: { status: "awaiting_verification" }, hold: { scope: "live" } });
    const { hold } = standing as { hold: { secretHash: string } };
    expect(isHoldSecret(url.hash.slice(3), hold.secretHash)).toBe(true);
    expect(await rowsWith(url.hash.slice(3))).toEqual([]);
    expect(scene.calls).toEqual([]);
    expect(await depth(house.eventSource, scene.lane.events)).toBe(0);
    expect(await scene.audits()).toMatchObject([
      {
        action: "hold.create",
        resource: `hold:${made.id}`,
        actor: "key:k1",
        ip: SOURCE,
        detail: { actor_id: "console:usr_1", scope: "live" },
      },
    ]);
  });

  it.each([
    ["a millisecond inside the 24 hours", DAY - 1, "human_agent_early"],
    ["at exactly 24 hours", DAY, null],
    ["a millisecond inside the 7 days", 7 * DAY - 1, null],
  ] as const)("is judged by the time since the person wrote: %s", async (_when, wroteAgo, refused) => {
    const scene = await openHoldScene(house, { wroteAgo });
    const asked = await scene.ask();
    if (refused) expect(asked).toMatchObject({ refused });
    else
      expect(asked).toMatchObject({ expiresAt: Math.min(house.now() + 15 * MINUTE, house.now() + 7 * DAY - wroteAgo) });
  });

  it("is refused beyond the 7 days, though the account answered since and the conversation stands", async () => {
    const scene = await openHoldScene(house, { wroteAgo: 7 * DAY - HOUR });
    await scene.complete(await scene.hold());
    house.turn(HOUR - 1);
    expect(await scene.ask()).toMatchObject({ expiresAt: house.now() + 1 });
    house.turn(1);
    expect(await scene.ask()).toMatchObject({ refused: "human_agent_late" });
  });

  it("is refused without the person who typed it, without a conversation, and where another tenant asks", async () => {
    const scene = await openHoldScene(house);
    expect(await scene.ask({ actorId: null })).toMatchObject({ refused: "missing_actor" });
    const gone = scene.conversation.replace(/\d$/, "0");
    expect(await scene.ask({ conversationId: gone })).toEqual({ refused: "conversation_not_found" });
    const stranger: Caller = { kind: "tenant_key", keyId: "k2", tenant: newTenant(), scope: "live" };
    const asked = { conversationId: scene.conversation, replyTo: null, actorId: "a", text: "hi" };
    expect(await createHold(scene.apiPorts(), { caller: stranger, ip: null }, asked, house.now())).toEqual({
      refused: "conversation_not_found",
    });
    const many = await scene.ask({ text: "x".repeat(1_001) });
    expect(many).toMatchObject({ refused: "invalid_request", detail: "text_too_long" });
  });

  it("asks the budgets and spends nothing: 25 may wait, though 20 may be sent a day", async () => {
    const scene = await openHoldScene(house);
    const made = [];
    for (let i = 0; i < 25; i++) made.push(await scene.hold());
    expect(new Set(made.map(({ id }) => id)).size).toBe(25);
    for (const hold of made.slice(0, 20)) {
      expect(await scene.complete(hold)).toMatchObject({ state: { status: "sent" } });
      house.turn(2_000);
    }
    expect(await scene.ask()).toMatchObject({ refused: "rate_limited", retryAfter: expect.any(Number) });
    const late = made[20];
    if (!late) throw new Error("There were 25.");
    expect(await scene.complete(late)).toMatchObject({
      state: { status: "failed", error: { code: "rate_limited" } },
    });
    expect(scene.calls).toHaveLength(20);
  });

  it("with a key of the caller's is held once: the same answer, the same link", async () => {
    const scene = await openHoldScene(house);
    const first = await scene.ask({ idempotencyKey: "k" });
    house.turn(MINUTE);
    expect(await scene.ask({ idempotencyKey: "k" })).toEqual(first);
    expect(await scene.ask({ idempotencyKey: "k", text: "another" })).toMatchObject({
      refused: "idempotency_conflict",
    });
    expect(await scene.audits()).toHaveLength(1);
  });

  it("keeps an answer that names nobody, and gives it whole", async () => {
    const scene = await openHoldScene(house);
    const first = await scene.ask({ idempotencyKey: "k" });
    expect(first).toMatchObject({ conversationId: scene.conversation });
    const { Items = [] } = await house.table.client.send(
      new ScanCommand({ TableName: house.table.name, ConsistentRead: true }),
    );
    const kept = JSON.stringify(Items.filter(({ PK }) => String(PK).startsWith(`IK#${scene.tenant}#`)));
    expect(kept).toContain((first as { id: string }).id);
    expect(kept).not.toContain(PERSON);
    expect(await scene.ask({ idempotencyKey: "k" })).toEqual(first);
  });

  it("that can never be sent uses no key up", async () => {
    const scene = await openHoldScene(house);
    for (const never of [{ text: "x".repeat(1_001) }, { text: null, attachments: [] }]) {
      expect(await scene.ask({ idempotencyKey: "k", ...never })).toMatchObject({ refused: "invalid_request" });
    }
    expect(await scene.ask({ idempotencyKey: "k", text: "short enough" })).toHaveProperty("id");
  });

  it("whose first request made nothing is held anew with the same key, a day's part later, for its full time", async () => {
    const scene = await openHoldScene(house);
    const asked = { conversationId: scene.conversation, replyTo: null, actorId: "a", text: "hi", idempotencyKey: "k" };
    const ports = scene.apiPorts();
    const create = () => Promise.reject(new Error("injected: no"));
    const by = { caller: scene.caller, ip: SOURCE };
    const sick = { ...ports, holds: { ...ports.holds, create } };
    await expect(createHold(sick, by, asked, house.now())).rejects.toThrow("injected");
    house.turn(6 * HOUR);
    const made = await createHold(ports, by, asked, house.now());
    if (isRefusal(made)) throw new Error(made.refused);
    expect(timeOfUlid(made.id.slice("hold_".length))).toBe(house.now());
    expect(made.expiresAt).toBe(house.now() + 15 * MINUTE);
  });
});

describe("reading a hold", () => {
  it("is for its tenant, for half an hour, and says nothing else of whose it was or that it was", async () => {
    const scene = await openHoldScene(house);
    const { id } = await scene.hold();
    const nothing = { refused: "hold_not_found" };
    const stranger: Caller = { kind: "tenant_key", keyId: "k2", tenant: newTenant(), scope: "live" };
    expect(await readHold(scene.apiPorts(), stranger, id, house.now())).toEqual(nothing);
    for (const other of [`${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`, "hold_x", "", `${id}\n`])
      expect(await scene.read(other)).toEqual(nothing);
    house.turn(30 * MINUTE - 1);
    expect(await scene.read(id)).toMatchObject({ state: { status: "expired" } });
    house.turn(1);
    expect(await scene.read(id)).toEqual(nothing);
  });

  it("tells an end by time once it came, and then no row says what was held", async () => {
    const scene = await openHoldScene(house);
    const text = `${CANARY} of ${scene.tenant}`;
    const { id, expiresAt } = await scene.hold({ text });
    house.turn(expiresAt - house.now() - 1);
    expect(await scene.read(id)).toMatchObject({ state: { status: "awaiting_verification" } });
    expect(await rowsWith(text)).toEqual([`H#${id}`]);
    house.turn(1);
    expect(await scene.read(id)).toMatchObject({ state: { status: "expired" }, hold: { content: null } });
    expect(await rowsWith(text)).toEqual([]);
  });

  it("made five minutes before the seventh day's end, it expires with the day", async () => {
    const scene = await openHoldScene(house, { wroteAgo: 7 * DAY - 5 * MINUTE });
    const made = await scene.hold();
    expect(made.expiresAt).toBe(house.now() + 5 * MINUTE);
    house.turn(5 * MINUTE);
    expect(await scene.complete(made)).toMatchObject({ refused: "hold_ran_out", detail: "expired" });
    expect(scene.calls).toEqual([]);
  });
});

describe("erasing the conversation", () => {
  it("takes its holds along, waiting and ended, and counts them", async () => {
    const scene = await openHoldScene(house);
    const sent = await scene.hold();
    await scene.complete(sent);
    const { id } = await scene.hold();
    const request = { conversationId: scene.conversation, caller: scene.caller, ip: null };
    const erased = await eraseConversation(scene.apiPorts(), scene.tenant, request, () => true, house.now());
    expect(erased).toMatchObject({ done: true, removed: { holds: 2 } });
    expect(await scene.read(id)).toEqual({ refused: "hold_not_found" });
    expect(await scene.complete({ id, conversationId: "", createdAt: 0, expiresAt: house.now() + 1 })).toMatchObject({
      refused: "hold_not_found",
    });
    expect(await scene.ask()).toEqual({ refused: "conversation_not_found" });
    expect(scene.calls).toHaveLength(1);
  });
});
