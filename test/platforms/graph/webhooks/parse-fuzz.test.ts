import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isExternalId } from "#features/accounts/rules/accounts.ts";
import type { Update } from "#features/inbox/rules/updates.ts";
import { parseUpdates } from "#platforms/platforms.ts";
import { repetitions } from "../../../support/sampling.ts";
import { nearlyValidWebhook } from "./nearly-valid-webhook.ts";
import { channels, MID, messageUpdate, RECEIVED_AT, toBytes, webhookBody } from "./webhook-payloads.ts";

const kinds = ["message", "unsend", "edit", "reaction", "read", "delivered", "referral", "policy", "ignored"];
const malformedUpdates = [{ kind: "ignored", reason: "malformed" }];

function expectSound(updates: Update[]) {
  for (const update of updates) {
    expect(kinds).toContain(update.kind);
    if (update.kind === "ignored") continue;
    expect(isExternalId(update.account.externalId)).toBe(true);
    expect(new Date(update.at).toISOString()).toMatch(/^\d{4}-/);
    if (update.kind !== "policy") expect(isExternalId(update.participantId)).toBe(true);
    if (update.kind === "message") expect(update.messageId.length).toBeGreaterThan(0);
  }
}

describe("any input", () => {
  test("any JSON gives updates of known kinds with valid keys and does not throw", () => {
    fc.assert(fc.property(fc.json(), (text) => expectSound(parseUpdates(toBytes(text), RECEIVED_AT))));
  });

  test("nearly valid JSON gives updates of known kinds and does not throw", () => {
    let read = 0;
    fc.assert(
      fc.property(nearlyValidWebhook, (value) => {
        const updates = parseUpdates(toBytes(JSON.stringify(value)), RECEIVED_AT);
        read += updates.filter((update) => update.kind !== "ignored").length;
        expectSound(updates);
      }),
      { numRuns: repetitions({ whole: 2_000, sample: 1_000 }) },
    );
    expect(read).toBeGreaterThan(100);
  });

  test("any bytes do not throw", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (raw) => expectSound(parseUpdates(raw, RECEIVED_AT))));
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "hub.mode=subscribe"],
    ["half a body", '{"object":"page","entry":['],
    ["a list", "[]"],
    ["null", "null"],
    ["no entries", '{"object":"page"}'],
    ["entries that are no list", '{"object":"page","entry":{}}'],
    ["no object", '{"entry":[]}'],
    ["an entry that is no object", '{"object":"page","entry":[7]}'],
    ["events that are no list", '{"object":"page","entry":[{"id":"1","time":1,"messaging":{}}]}'],
    ["an event that is no object", '{"object":"page","entry":[{"id":"1","time":1,"messaging":[null]}]}'],
    ["deep nesting", `${"[".repeat(200_000)}${"]".repeat(200_000)}`],
    ["deep nesting with long numbers", `${"[".repeat(200_000)}12345678901234567890${"]".repeat(200_000)}`],
  ])("%s is one malformed update", (_name, text) => {
    expect(parseUpdates(toBytes(text), RECEIVED_AT)).toEqual(malformedUpdates);
  });

  test("bytes that are not UTF-8 are malformed", () => {
    expect(parseUpdates(Uint8Array.of(0x22, 0xc3, 0x28, 0x22), RECEIVED_AT)).toEqual(malformedUpdates);
  });

  test("objects of other products and entries without events are ignored", () => {
    const unknown = [{ kind: "ignored", reason: "unknown_kind" }];
    expect(parseUpdates(toBytes({ object: "user", entry: [{ id: "1", time: 1 }] }), RECEIVED_AT)).toEqual(unknown);
    expect(parseUpdates(toBytes({ object: "page", entry: [{ id: "1", time: 1 }] }), RECEIVED_AT)).toEqual(unknown);
    expect(parseUpdates(toBytes({ object: "page", entry: [] }), RECEIVED_AT)).toEqual([]);
  });

  test("a malformed event does not block its neighbors", () => {
    const [channel] = channels;
    const good = webhookBody(channel, { message: { mid: MID, text: "hi" } });
    const entry = [...good.entry, null, ...good.entry];
    const hi = messageUpdate(channel, { text: "hi" });
    expect(parseUpdates(toBytes({ ...good, entry }), RECEIVED_AT)).toEqual([hi, ...malformedUpdates, hi]);
  });

  const repeated = (unit: string, count: number) => `{"object":"page","entry":[${Array(count).fill(unit).join(",")}]}`;
  const event5k = JSON.stringify(webhookBody(channels[1], { message: { mid: MID, text: "hi" } }).entry[0]);
  test.each([
    ["entries", event5k],
    ["entries whose ids are numbers", event5k.replaceAll(/"(\d{15,})"/g, "99$1")],
    ["empty objects", "{}"],
    ["commas and spaces", `${" ".repeat(1_000)}0`],
  ])("5 MB of %s take linear time", (_name, unit) => {
    // CPU milliseconds of this thread, which do not depend on the load of the machine.
    const timed = (size: number) => {
      const raw = toBytes(repeated(unit, Math.floor(size / (unit.length + 1))));
      const start = process.threadCpuUsage();
      const updates = parseUpdates(raw, RECEIVED_AT);
      expect(updates.length).toBeGreaterThan(100);
      const { user, system } = process.threadCpuUsage(start);
      return (user + system) / 1_000;
    };
    timed(500_000);
    // Ten times the bytes. A quadratic reader would take about a hundred times as long.
    const small = Math.max(timed(500_000), 5);
    expect(timed(5_000_000)).toBeLessThan(small * 50);
  });
});
