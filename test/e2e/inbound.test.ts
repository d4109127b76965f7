import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ListedMessage } from "./support/answers.ts";
import { catalogue, type Kind } from "./support/catalogue.ts";
import { failuresIn, filesOf, untilIdle } from "./support/journals.ts";
import { type RunningLocal, startLocal } from "./support/local-stack.ts";
import { accountIds, inbound, newMid, newPerson, postSigned, textEntry, wireBytes } from "./support/platform.ts";
import { allMessages, createHook, type Hook } from "./support/read-all.ts";
import { byMessage, openReceiver, type Receiver } from "./support/receiver.ts";
import { packages, verifyByTheDocs } from "./support/verify.ts";

let stack: RunningLocal;
let first: Receiver;
let second: Receiver;
let hooks: { first: Hook; second: Hook };
const people = { ig: newPerson(), page: newPerson(), msg: newPerson() };
const kinds = catalogue(people, Date.now() - 60_000);
const kept = kinds.filter((kind) => kind.expected !== null);
const telling = kinds.flatMap(({ tells }) => tells ?? []);

beforeAll(async () => {
  [stack, first, second] = await Promise.all([startLocal(), openReceiver(), openReceiver()]);
  hooks = { first: await createHook(stack, first.url), second: await createHook(stack, second.url) };
});
afterAll(async () => {
  await Promise.all([stack?.stop(), first?.close(), second?.close()]);
});

const find = (messages: readonly ListedMessage[], { mid, expected }: Kind): ListedMessage[] =>
  messages.filter((message) => (mid === null ? message.text === expected?.text : message.id === mid));

describe("a signed webhook", () => {
  it.each(kinds)("of $name is answered 200", async ({ object, signer, entry }) => {
    const { status, text, headers } = await inbound(stack, object, [entry], { signer });
    expect([status, text]).toEqual([200, "EVENT_RECEIVED"]);
    expect(headers.get("x-correlation-id")).toMatch(/\S/);
  });

  it("leaves each message once, as it was said, and nothing else", async () => {
    await untilIdle(stack);
    const messages = await allMessages(stack);
    for (const kind of kept) {
      const { reply_to: _, ...expected } = kind.expected ?? {};
      const found = find(messages, kind);
      // Two connections have a postback without an id and with the same title.
      expect.soft(found.length, kind.name).toBe(kind.mid === null ? 3 : 1);
      expect.soft(found[0], kind.name).toMatchObject(expected);
    }
    expect(messages).toHaveLength(kept.length);
  });

  it("leaves no dead letter, no failed record and a raw copy", () => {
    expect(failuresIn(stack.log())).toEqual([]);
    expect(filesOf(stack.dataDir).filter((key) => key.startsWith("raw/")).length).toBeGreaterThan(0);
    expect(filesOf(stack.dataDir).filter((key) => key.startsWith("inbound/"))).toEqual([]);
  });

  it("is announced once to each endpoint, with what it said", () => {
    for (const receiver of [first, second]) {
      const received = byMessage(receiver.received, "message.received");
      const sent = byMessage(receiver.received, "message.sent");
      for (const { name, mid, expected } of kept.filter((kind) => kind.mid !== null)) {
        const announced = (expected?.direction === "echo" ? sent : received).get(mid ?? "") ?? [];
        expect.soft(announced.length, name).toBe(1);
        expect.soft(announced[0]?.event.data.message, name).toMatchObject(expected ?? {});
      }
      const others = receiver.received.map(({ event }) => event.type).filter((type) => telling.includes(type));
      expect(others.sort()).toEqual(telling.toSorted());
      expect(receiver.received).toHaveLength(kept.length + telling.length);
    }
  });

  it("has one event id, the same for both endpoints and in header and body", () => {
    const ids = (receiver: Receiver): string[] => receiver.received.map(({ event }) => event.id).sort();
    expect(new Set(ids(first)).size).toBe(kept.length + telling.length);
    expect(ids(first)).toEqual(ids(second));
    for (const { headers, event } of first.received) {
      expect(headers["svc-event-id"]).toBe(event.id);
      expect(headers["webhook-id"]).toBe(event.id);
      expect(headers["svc-event-type"]).toBe(event.type);
      expect(headers["svc-delivery-id"]).toBe(`dlv_${event.id.slice(4)}_${hooks.first.id}`);
    }
  });
});

describe("every delivery", () => {
  const verifiers = { "the documentation": verifyByTheDocs, ...packages };

  it.each(Object.entries(verifiers))("is verified by %s with its endpoint's secret", (_, verify) => {
    for (const delivery of first.received) expect(verify(hooks.first.secret, delivery)).toBe(true);
    for (const delivery of second.received) expect(verify(hooks.second.secret, delivery)).toBe(true);
  });

  it.each(Object.entries(verifiers))(
    "is refused by %s with another secret, another body or another time",
    (_, verify) => {
      const [delivery] = first.received;
      if (!delivery) throw new Error("nothing was delivered");
      const { headers, raw } = delivery;
      const altered = Buffer.from(raw.toString("utf8").replace("{", "{ "));
      const later = String(Number(headers["svc-timestamp"]) + 1);
      expect(verify(hooks.second.secret, delivery)).toBe(false);
      expect(verify(hooks.first.secret, { headers, raw: altered })).toBe(false);
      const shifted = { ...headers, "svc-timestamp": later, "webhook-timestamp": later };
      expect(verify(hooks.first.secret, { headers: shifted, raw })).toBe(false);
    },
  );
});

describe("the same webhooks", () => {
  it("in one body, twice over, shuffled, and as binary content change nothing", async () => {
    const before = await allMessages(stack);
    const deliveries = first.received.length;
    for (const [object, signer] of [
      ["instagram", "instagram"],
      ["instagram", "meta"],
      ["page", "meta"],
    ] as const) {
      const entries = kinds
        .filter((kind) => kind.object === object && kind.signer === signer)
        .map(({ entry }) => entry);
      const mixed = [...entries, ...entries].sort(() => Math.random() - 0.5);
      expect((await inbound(stack, object, mixed, { signer })).status).toBe(200);
      expect((await inbound(stack, object, mixed.reverse(), { signer, type: "application/octet-stream" })).status).toBe(
        200,
      );
    }
    await untilIdle(stack);
    expect(await allMessages(stack)).toEqual(before);
    expect(first.received).toHaveLength(deliveries);
    expect(failuresIn(stack.log())).toEqual([]);
  });

  it("new ones, batched out of order, end with the newest at the conversation's head", async () => {
    const person = newPerson();
    const at = Date.now() - 10_000;
    const texts = Array.from({ length: 30 }, (_, n) => ({ mid: newMid(), text: `message ${n} ä`, at: at + n }));
    const entries = texts.map(({ mid, text, at: when }) => textEntry(accountIds.messenger, person, mid, text, when));
    const bytes = wireBytes(
      "page",
      entries.sort(() => Math.random() - 0.5),
    );
    expect(bytes.includes("\\u00e4")).toBe(true);
    const sends = [1, 2, 3].map(() => postSigned(stack, "page", bytes, { type: "application/octet-stream" }));
    expect((await Promise.all(sends)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await untilIdle(stack);

    const id = `CONV#demo#messenger#${accountIds.messenger}#${person}`;
    const { body } = await stack.api("GET", `/v1/conversations/${encodeURIComponent(id)}?limit=100`);
    expect(body.data.messages.map(({ text }) => text)).toEqual(texts.map(({ text }) => text).reverse());
    expect(body.data.conversation.last_message_text).toBe("message 29 ä");
    expect(body.data.conversation.last_inbound_at).toBe(new Date(at + 29).toISOString());
    const announced = byMessage(second.received, "message.received");
    for (const { mid, text } of texts) {
      expect(new Set(announced.get(mid)?.map(({ event }) => event.id)).size, text).toBe(1);
    }
  });
});
