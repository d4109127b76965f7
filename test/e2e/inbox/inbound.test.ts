import { randomBytes } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { createTestWebhook, listAllMessages, type TestWebhook } from "../support/api-calls.ts";
import type { ListedMessage } from "../support/api-response.ts";
import { readTable } from "../support/dump-table.ts";
import { failureLines, listBucketKeys, waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import {
  demoAccountIds,
  newMessageId,
  newPersonId,
  postSigned,
  postWebhook,
  textEntry,
  wireBytes,
} from "../support/platform-webhooks.ts";
import { catalogue, type EventSample } from "../support/samples/event-samples.ts";
import { verifyAsDocumented, verifyPackages } from "../support/verify-signature.ts";
import { waitFor } from "../support/wait-for.ts";
import { groupByMessage, openReceiver, type Receiver } from "../support/webhook-receiver.ts";

let hooks: { first: TestWebhook; second: TestWebhook };
const people = { ig: newPersonId(), page: newPersonId(), msg: newPersonId() };
const sampleNames = catalogue(people, Date.now()).map(({ name }) => name);
let samples: readonly EventSample[];
let messageSamples: readonly EventSample[];
let expectedEventTypes: readonly string[];

const stack = openedOnce(openSharedStack);
const firstReceiver = openedOnce(openReceiver);
const secondReceiver = openedOnce(openReceiver);
beforeAll(async () => {
  samples = catalogue(people, (await stack.now()) - 60_000);
  messageSamples = samples.filter((kind) => kind.expected !== null);
  expectedEventTypes = samples.flatMap(({ expectedEventType }) => expectedEventType ?? []);
  hooks = {
    first: await createTestWebhook(stack, firstReceiver.url),
    second: await createTestWebhook(stack, secondReceiver.url),
  };
});

const findMessages = (messages: readonly ListedMessage[], { mid, expected }: EventSample): ListedMessage[] =>
  messages.filter((message) => (mid === null ? message.text === expected?.text : message.id === mid));

it.each(sampleNames.map((name, index) => ({ name, index })))(
  "a signed webhook of $name is answered 200",
  async ({ index }) => {
    const { object, signer, entry } = samples[index] as EventSample;
    const { status, text, headers } = await postWebhook(stack, object, [entry], { signer });
    expect([status, text]).toEqual([200, "EVENT_RECEIVED"]);
    expect(headers.get("x-correlation-id")).toMatch(/\S/);
  },
);

it("a signed webhook creates each message once, unchanged, and nothing else", async () => {
  await waitUntilIdle(stack);
  const messages = await listAllMessages(stack);
  for (const kind of messageSamples) {
    const matches = findMessages(messages, kind);
    // Two connections have a postback without an id and with the same title.
    expect.soft(matches.length, kind.name).toBe(kind.mid === null ? 3 : 1);
    expect.soft(matches[0], kind.name).toMatchObject(kind.expected ?? {});
  }
  expect(messages).toHaveLength(messageSamples.length);
});

it("a signed webhook leaves a raw copy, no dead letter and no failed record", async () => {
  expect(failureLines(stack.log())).toEqual([]);
  const rows = (await readTable(stack)).filter(({ PK }) => PK.startsWith("RAW#"));
  expect(rows.length).toBeGreaterThan(0);
  expect(listBucketKeys(stack.dataDir).filter((key) => key.startsWith("inbound/"))).toEqual([]);
});

it("a signed webhook is delivered once to each endpoint with its content", () => {
  for (const receiver of [firstReceiver, secondReceiver]) {
    const received = groupByMessage(receiver.deliveries, "message.received");
    const sent = groupByMessage(receiver.deliveries, "message.sent");
    for (const { name, mid, expected } of messageSamples.filter((kind) => kind.mid !== null)) {
      const deliveries = (expected?.direction === "echo" ? sent : received).get(mid ?? "") ?? [];
      expect.soft(deliveries.length, name).toBe(1);
      expect.soft(deliveries[0]?.event.data.message, name).toMatchObject(expected ?? {});
    }
    const others = receiver.deliveries
      .map(({ event }) => event.type)
      .filter((type) => expectedEventTypes.includes(type));
    expect(others.sort()).toEqual(expectedEventTypes.toSorted());
    expect(receiver.deliveries).toHaveLength(messageSamples.length + expectedEventTypes.length);
  }
});

it("a signed webhook has one event id for both endpoints, in header and body", () => {
  const ids = (receiver: Receiver): string[] => receiver.deliveries.map(({ event }) => event.id).sort();
  expect(new Set(ids(firstReceiver)).size).toBe(messageSamples.length + expectedEventTypes.length);
  expect(ids(firstReceiver)).toEqual(ids(secondReceiver));
  for (const { headers, event } of firstReceiver.deliveries) {
    expect(headers["svc-event-id"]).toBe(event.id);
    expect(headers["webhook-id"]).toBe(event.id);
    expect(headers["svc-event-type"]).toBe(event.type);
    expect(headers["svc-delivery-id"]).toBe(`dlv_${event.id.slice(4)}_${hooks.first.id}`);
  }
});

const verifiers = { "the documentation": verifyAsDocumented, ...verifyPackages };

it.each(Object.entries(verifiers))(
  "every delivery is accepted by %s with the secret of its endpoint",
  async (_, verify) => {
    const now = await stack.now();
    for (const delivery of firstReceiver.deliveries) expect(verify(hooks.first.secret, delivery, now)).toBe(true);
    for (const delivery of secondReceiver.deliveries) expect(verify(hooks.second.secret, delivery, now)).toBe(true);
  },
);

it.each(Object.entries(verifiers))(
  "every delivery is refused by %s with another secret, another body or another time",
  async (_, verify) => {
    const now = await stack.now();
    const [delivery] = firstReceiver.deliveries;
    if (!delivery) throw new Error("No delivery arrived.");
    const { headers, raw } = delivery;
    const altered = Buffer.from(raw.toString("utf8").replace("{", "{ "));
    const later = String(Number(headers["svc-timestamp"]) + 1);
    expect(verify(hooks.second.secret, delivery, now)).toBe(false);
    expect(verify(hooks.first.secret, { headers, raw: altered }, now)).toBe(false);
    const shifted = { ...headers, "svc-timestamp": later, "webhook-timestamp": later };
    expect(verify(hooks.first.secret, { headers: shifted, raw }, now)).toBe(false);
  },
);

it("the same webhooks, batched, repeated, shuffled and as binary content, change nothing", async () => {
  const before = await listAllMessages(stack);
  const deliveries = firstReceiver.deliveries.length;
  for (const [object, signer] of [
    ["instagram", "instagram"],
    ["instagram", "meta"],
    ["page", "meta"],
  ] as const) {
    const entries = samples
      .filter((kind) => kind.object === object && kind.signer === signer)
      .map(({ entry }) => entry);
    const mixed = [...entries, ...entries].sort(() => Math.random() - 0.5);
    expect((await postWebhook(stack, object, mixed, { signer })).status).toBe(200);
    expect(
      (await postWebhook(stack, object, mixed.reverse(), { signer, type: "application/octet-stream" })).status,
    ).toBe(200);
  }
  await waitUntilIdle(stack);
  expect(await listAllMessages(stack)).toEqual(before);
  expect(firstReceiver.deliveries).toHaveLength(deliveries);
  expect(failureLines(stack.log())).toEqual([]);
});

it("new webhooks, batched out of order, leave the newest message at the conversation head", async () => {
  const person = newPersonId();
  const at = (await stack.now()) - 10_000;
  const texts = Array.from({ length: 30 }, (_, n) => ({ mid: newMessageId(), text: `message ${n} ä`, at: at + n }));
  const entries = texts.map(({ mid, text, at: when }) => textEntry(demoAccountIds.messenger, person, mid, text, when));
  const bytes = wireBytes(
    "page",
    entries.sort(() => Math.random() - 0.5),
  );
  expect(bytes.includes("\\u00e4")).toBe(true);
  const sends = [1, 2, 3].map(() => postSigned(stack, "page", bytes, { type: "application/octet-stream" }));
  expect((await Promise.all(sends)).map(({ status }) => status)).toEqual([200, 200, 200]);
  await waitUntilIdle(stack);

  const id = `CONV#demo#messenger#${demoAccountIds.messenger}#${person}`;
  const { body } = await stack.api("GET", `/v1/conversations/${encodeURIComponent(id)}?limit=100`);
  expect(body.data.messages.map(({ text }) => text)).toEqual(texts.map(({ text }) => text).reverse());
  expect(body.data.conversation.last_message_text).toBe("message 29 ä");
  expect(body.data.conversation.last_inbound_at).toBe(new Date(at + 29).toISOString());
  const newDeliveries = () => groupByMessage(secondReceiver.deliveries, "message.received");
  // The events of a person who is new may wait for the name.
  await waitFor("each message has an event", () => texts.every(({ mid }) => newDeliveries().has(mid)));
  const deliveriesByMessage = newDeliveries();
  for (const { mid, text } of texts) {
    expect(new Set(deliveriesByMessage.get(mid)?.map(({ event }) => event.id)).size, text).toBe(1);
  }
});

it("no raw copy is left when the clock advances by seven days", async () => {
  // Too large for a row, also compressed.
  const text = randomBytes(12_000).toString("base64");
  const entry = textEntry(demoAccountIds.messenger, newPersonId(), newMessageId(), text, await stack.now());
  expect((await postWebhook(stack, "page", [entry])).status).toBe(200);
  await waitUntilIdle(stack);
  const copies = () => listBucketKeys(stack.dataDir).filter((key) => /^(raw|inbound)\//.test(key));
  expect(copies()).not.toEqual([]);
  await stack.clock("P7D");
  await waitFor("the hourly purge has run", () => copies().length === 0);
  const now = (await stack.now()) / 1_000;
  const rows = (await readTable(stack)).filter(({ PK }) => PK.startsWith("RAW#"));
  expect(rows.filter(({ x }) => Number(x) > now)).toEqual([]);
});
