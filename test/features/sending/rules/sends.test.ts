import fc from "fast-check";
import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { MINUTE } from "#base/kernel/time.ts";
import {
  contentHash,
  echoCandidates,
  echoSendWindow,
  echoSentVia,
  type SendRecord,
} from "#features/sending/rules/sends.ts";
import { NOW } from "../../../support/stores/samples.ts";

const HI_HASH = contentHash("hi", []);

function sendRecord(rest: Partial<SendRecord> = {}): SendRecord {
  return {
    id: newUlid(NOW),
    content: HI_HASH,
    via: "api_in_window",
    actorId: null,
    holdId: null,
    replyTo: null,
    scope: "live",
    startedAt: NOW,
    state: "sending",
    messageId: null,
    messageIdSource: null,
    ...rest,
  };
}

const findLike = (records: readonly SendRecord[], messageId = "mid") =>
  echoCandidates(records, { messageId, content: HI_HASH });

it("the hash of a content is the same for a text that the platform trimmed or composed differently", () => {
  const spaces = fc.array(fc.constantFrom(" ", "\n", "\t", "\u00a0")).map((characters) => characters.join(""));
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), spaces, spaces, (text, before, after) => {
      const sent = contentHash(text, []);
      expect(contentHash(`${before}${text}${after}`, [])).toBe(sent);
      expect(contentHash(text.normalize("NFD"), [])).toBe(sent);
    }),
  );
});

it("the hash of a content differs for another text, including case and inner spaces", () => {
  expect(new Set(["hi", "Hi", "h i", "h  i", "hi!", ""].map((text) => contentHash(text, []))).size).toBe(6);
});

it("the hash of a content counts attachments by type, regardless of URL and order", () => {
  const image = { type: "image", url: "https://a.example/1" } as const;
  const moved = { type: "image", url: "https://cdn.example/2" } as const;
  const file = { type: "file", url: null } as const;
  expect(contentHash("", [image, file])).toBe(contentHash("", [file, moved]));
  const all = [[], [image], [image, image], [file]].map((attachments) => contentHash("", attachments));
  expect(new Set(all).size).toBe(4);
});

it("the candidates of an echo are the unsettled sends with the same content, oldest first", () => {
  const [first, second] = [sendRecord(), sendRecord({ state: "unknown" })];
  const others = [
    sendRecord({ content: contentHash("other", []) }),
    sendRecord({ state: "failed" }),
    sendRecord({ state: "sent", messageId: "another", messageIdSource: "answer" }),
    sendRecord({ state: "sent", messageId: "a third", messageIdSource: "echo" }),
  ];
  expect(findLike([first, ...others, second])).toEqual([first, second]);
});

it("the candidates of an echo start with the send that has the message id, regardless of its content", () => {
  const [open, ownRecord] = [
    sendRecord(),
    sendRecord({ state: "sent", messageId: "mid", messageIdSource: "echo", content: "x" }),
  ];
  expect(findLike([open, ownRecord])).toEqual([ownRecord, open]);
  const certain = sendRecord({ state: "sent", messageId: "mid", messageIdSource: "answer" });
  expect(findLike([open, certain])).toEqual([certain, open]);
  expect(findLike([ownRecord, certain])[0]).toBe(certain);
});

it("the candidates of an echo include a send whose message was confirmed for another send", () => {
  const mistaken = sendRecord({ state: "sent", messageId: "other", messageIdSource: "echo" });
  const certain = sendRecord({ state: "sent", messageId: "other", messageIdSource: "answer" });
  expect(findLike([mistaken, certain])).toEqual([mistaken]);
  expect(findLike([mistaken])).toEqual([]);
});

it("the candidates of an echo never include test sends", () => {
  expect(findLike([sendRecord({ scope: "test" })])).toEqual([]);
});

it("the candidates of an echo started at most 15 minutes before the echo, or a minute after it by our clock", () => {
  expect(echoSendWindow(NOW)).toEqual({ from: NOW - 15 * MINUTE, until: NOW + MINUTE });
});

it.each([
  [null, "native_app"],
  ["26390203743090", "native_app"],
  ["1234567890", "other_app"],
])("an echo without a matching send, of app %s, was sent via %s", (appId, via) => {
  expect(echoSentVia(appId)).toBe(via);
});
