import fc from "fast-check";
import { expect, test } from "vitest";
import { mediaTypes, type RequestedAttachment, readSendContent } from "#features/sending/rules/send-content.ts";

const url = "https://files.example/a.png";
const image: RequestedAttachment = { type: "image", url };
const attachmentOf = (type: string): RequestedAttachment => ({ type, url });
const repeat = (count: number, one: RequestedAttachment) => Array.from({ length: count }, () => one);
const parseAttachments = (attachments: readonly RequestedAttachment[], scope: "live" | "test" = "live") =>
  readSendContent({ attachments }, "instagram", scope);
const invalidRequest = (detail: string) => ({ refused: "invalid_request", detail });

test("a send carries a text or attachments, never both and never neither", () => {
  expect(readSendContent({ text: "hi" }, "messenger", "live")).toEqual({ kind: "text", text: "hi" });
  expect(readSendContent({ text: null, attachments: [image] }, "messenger", "live")).toEqual({
    kind: "attachments",
    attachments: [image],
  });
  const both = invalidRequest("text, attachments: give one of them, not both");
  expect(readSendContent({ text: "hi", attachments: [image] }, "messenger", "live")).toMatchObject(both);
  expect(readSendContent({ text: "hi", attachments: [] }, "messenger", "live")).toMatchObject(both);
  expect(readSendContent({ text: "", attachments: [image] }, "messenger", "live")).toMatchObject(both);
  for (const neither of [{}, { text: null, attachments: null }]) {
    expect(readSendContent(neither, "messenger", "live")).toMatchObject(
      invalidRequest("text, attachments: give one of them"),
    );
  }
});

test.each(["", " ", "\n\t"])("a send refuses an empty text (%j)", (text) => {
  expect(readSendContent({ text }, "instagram", "live")).toMatchObject(invalidRequest("text: must not be empty"));
});

test("a send keeps the whitespace of the text", () => {
  expect(readSendContent({ text: " hi\n" }, "instagram", "live")).toEqual({ kind: "text", text: " hi\n" });
});

test("a send accepts exactly the texts that fit: 1,000 bytes on Instagram, 2,000 code points on Messenger", () => {
  const piece = fc.constantFrom("a", "é", "あ", "😀");
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 40 }), fc.nat(80), (pieces, repeats) => {
      const text = pieces.join("").repeat(repeats + 1);
      const tooLong = invalidRequest("text_too_long");
      const expected = { kind: "text", text };
      const bytes = new TextEncoder().encode(text).length;
      expect(readSendContent({ text }, "instagram", "live")).toMatchObject(bytes > 1_000 ? tooLong : expected);
      const characters = [...text].length;
      expect(readSendContent({ text }, "messenger", "test")).toMatchObject(characters > 2_000 ? tooLong : expected);
    }),
  );
});

test.each(mediaTypes)("attachments accept one %s, by URL or upload", (type) => {
  expect(parseAttachments([attachmentOf(type)])).toEqual({ kind: "attachments", attachments: [{ type, url }] });
  expect(parseAttachments([{ type, attachmentId: "1857777774821032" }])).toEqual({
    kind: "attachments",
    attachments: [{ type, attachmentId: "1857777774821032" }],
  });
});

test("attachments accept up to ten images in order", () => {
  const byId = { type: "image", attachmentId: "1857777774821032" };
  expect(parseAttachments([image, byId, image])).toEqual({ kind: "attachments", attachments: [image, byId, image] });
  expect(parseAttachments(repeat(10, image))).toHaveProperty("kind");
  const tooMany = invalidRequest("attachments: at most 10 images in one message");
  expect(parseAttachments(repeat(11, image))).toMatchObject(tooMany);
  expect(parseAttachments(repeat(100_000, image))).toMatchObject(tooMany);
});

test.each([
  [[], "attachments: must not be empty"],
  [[image, attachmentOf("video")], "attachments: images cannot be combined with other media"],
  [[...repeat(9, image), attachmentOf("file")], "attachments: images cannot be combined with other media"],
  [repeat(2, attachmentOf("video")), "attachments: only one video, audio or file per message"],
  [[attachmentOf("audio"), attachmentOf("file")], "attachments: only one video, audio or file per message"],
])("attachments refuse %j: %s", (attachments, detail) => {
  expect(parseAttachments(attachments)).toMatchObject(invalidRequest(detail));
});

test("attachments accept a mix of types exactly when it is one of any type or up to ten images", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...mediaTypes), { maxLength: 13 }), (types) => {
      const images = types.every((type) => type === "image");
      const isAllowed = types.length === 1 || (images && types.length > 0 && types.length <= 10);
      expect("kind" in parseAttachments(types.map(attachmentOf))).toBe(isAllowed);
    }),
  );
});

test.each([
  [{ url }, "attachments[0].type: must be one of image, video, audio, file"],
  [{ type: "sticker", url }, "attachments[0].type: must be one of image, video, audio, file"],
  [{ type: "image" }, "attachments[0]: set url or attachment_id"],
  [{ type: "image", url, attachmentId: "1" }, "attachments[0]: set url or attachment_id, not both"],
  [{ type: "image", attachmentId: "" }, "attachments[0].attachment_id: must be an attachment id"],
  [{ type: "image", attachmentId: "1 2" }, "attachments[0].attachment_id: must be an attachment id"],
  [{ type: "image", attachmentId: "1".repeat(257) }, "attachments[0].attachment_id: must be an attachment id"],
])("attachments refuse %j: %s", (attachment, detail) => {
  expect(parseAttachments([attachment])).toMatchObject(invalidRequest(detail));
  expect(parseAttachments([attachment], "test")).toMatchObject(invalidRequest(detail));
});

test("attachments name the invalid attachment by its index", () => {
  expect(parseAttachments([image, image, { type: "image" }])).toMatchObject(
    invalidRequest("attachments[2]: set url or attachment_id"),
  );
});

test.each([
  ["https://files.example/ä.png?x=1#y", true],
  ["HTTPS://files.example:8443/a", true],
  [`https://files.example/${"a".repeat(2_048 - 22)}`, true],
  [`https://files.example/${"a".repeat(2_049 - 22)}`, false],
  ["http://files.example/a.png", false],
  ["ftp://files.example/a.png", false],
  ["data:image/png;base64,AAAA", false],
  ["//files.example/a.png", false],
  ["files.example/a.png", false],
  ["https://", false],
  ["https:/files.example/a.png", false],
  ["https://files.example\\a.png", false],
  ["https://files.example/a b.png", false],
  ["https://files.example/a\n.png", false],
  ["https://user:secret@files.example/a.png", false],
  ["https://user@files.example/a.png", false],
  ["https://files.example:99999/a.png", false],
  ["", false],
])("attachments require an https URL of at most 2,048 characters: %s", (input, accepted) => {
  const answer = accepted
    ? { kind: "attachments", attachments: [{ type: "image", url: input }] }
    : invalidRequest("attachments[0].url: must be an https address of at most 2048 characters");
  expect(parseAttachments([{ type: "image", url: input }])).toMatchObject(answer);
});

test("attachments allow uploads of a test key with test keys only", () => {
  const uploaded = { type: "image", attachmentId: "mock_att_01JZ0000000000000000000000" };
  expect(parseAttachments([uploaded], "test")).toEqual({ kind: "attachments", attachments: [uploaded] });
  expect(parseAttachments([uploaded])).toMatchObject(
    invalidRequest("attachments[0].attachment_id: was uploaded with a test key"),
  );
});
