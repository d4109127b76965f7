import fc from "fast-check";
import { expect, test } from "vitest";
import { PART_UPDATES_MAX } from "#base/kernel/limits.ts";
import { planWebhook } from "#features/inbox/rules/raw-webhooks.ts";
import type { Update } from "#features/inbox/rules/updates.ts";

const account = { platform: "instagram", externalId: "1" } as const;
const message = (participantId: string, externalId = "1"): Update => ({
  kind: "message",
  account: { ...account, externalId },
  participantId,
  at: 1,
  messageId: "m",
  form: "message",
  text: "x",
  attachments: [],
  replyTo: null,
  echo: null,
});
const read = (participantId: string): Update => ({
  kind: "read",
  account,
  participantId,
  at: 1,
  messageId: "m",
  watermark: null,
});
const policy: Update = { kind: "policy", account, at: 1, action: "block", reason: null };
const ignored: Update = { kind: "ignored", reason: "malformed" };
const messages = (count: number, participantId = "p") => Array.from({ length: count }, () => message(participantId));
const upTo = (end: number, start = 0) => Array.from({ length: end - start }, (_, index) => start + index);

test("the parts of a webhook are its conversations, in the order of their first update", () => {
  expect(planWebhook([message("a"), message("b"), message("a"), message("a", "2")])).toEqual({
    parts: [[0, 2], [1], [3]],
    later: [],
  });
});

test("the parts of a webhook are one of each account for what belongs to no conversation, and none for what is ignored", () => {
  expect(planWebhook([policy, ignored, message("a"), policy])).toEqual({ parts: [[0, 3], [2]], later: [] });
  expect(planWebhook([ignored])).toEqual({ parts: [], later: [] });
  expect(planWebhook([])).toEqual({ parts: [], later: [] });
});

test("the parts of a webhook are ingested now up to 50 updates, which read updates do not count to", () => {
  expect(planWebhook([...messages(50), ...Array(60).fill(read("p"))])).toEqual({ parts: [upTo(110)], later: [] });
  expect(planWebhook([...messages(25, "a"), ...messages(25, "b")])).toEqual({
    parts: [upTo(25), upTo(50, 25)],
    later: [],
  });
});

test("the parts of a webhook of one long conversation are its first 50 updates, and the others after them", () => {
  expect(planWebhook([...messages(120), read("p")])).toEqual({ parts: [upTo(50)], later: [upTo(120, 50)] });
  expect(planWebhook(messages(51))).toEqual({ parts: [upTo(50)], later: [[50]] });
});

test("the parts of a webhook of several conversations with more than 50 updates are queued, whole conversations together", () => {
  const updates = [...messages(20, "a"), ...messages(60, "long"), ...messages(30, "b"), message("a"), message("c")];
  expect(planWebhook(updates)).toEqual({
    parts: [],
    later: [[...upTo(20), 110], upTo(80, 20), [...upTo(110, 80), 111]],
  });
});

test("the parts of a webhook of any size are ended with its updates: each once, in order within its conversation", () => {
  const people = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 400 });
  fc.assert(
    fc.property(people, (names) => {
      const waiting = [names.map((name, index) => ({ update: message(name), index }))];
      const ingested: number[] = [];
      for (let steps = 0; waiting.length > 0; steps++) {
        expect(steps).toBeLessThan(100);
        const webhook = waiting.shift() ?? [];
        const { parts, later } = planWebhook(webhook.map(({ update }) => update));
        const pick = (positions: readonly number[]) => positions.flatMap((position) => webhook[position] ?? []);
        const now = parts.flatMap(pick);
        expect(now.length).toBeLessThanOrEqual(PART_UPDATES_MAX);
        ingested.push(...now.map(({ index }) => index));
        waiting.push(...later.map(pick));
      }
      expect(ingested.toSorted((one, other) => one - other)).toEqual(upTo(names.length));
      for (const name of new Set(names)) {
        const ofPerson = ingested.filter((index) => names[index] === name);
        expect(ofPerson).toEqual(ofPerson.toSorted((one, other) => one - other));
      }
    }),
  );
});
