import { expect, test } from "vitest";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import type { MediaType } from "#features/sending/rules/send-content.ts";
import { checkDeclared, checkPosted } from "#features/uploads/rules/checks.ts";
import { closedTypeNames, maxUploadSize } from "#features/uploads/rules/media-types.ts";
import { latin1 } from "../../../support/files/bytes.ts";
import { mediaFiles } from "../../../support/files/media-files.ts";

const MB = 2 ** 20;
const connections: readonly Connection[] = ["instagram_login", "instagram_page", "messenger"];

const declare = (connection: Connection, contentType: string, type?: MediaType, size = 1) =>
  checkDeclared(connection, { filename: "a", contentType, size, type });

/** The type as which a declared file is accepted, or the reason why it is refused. */
function outcome(...parameters: Parameters<typeof declare>): string {
  const declared = declare(...parameters);
  return "refused" in declared ? declared.refused : `${declared.type} ${declared.contentType}`;
}

test("a declared file is accepted with a clean name, a normalized type and its limit", () => {
  const file = { filename: "../a\u202e.PNG", contentType: " Image/X-PNG ; q=1", size: 8 * MB };
  expect(checkDeclared("instagram_login", file)).toEqual({
    filename: "a.PNG",
    contentType: "image/png",
    size: 8 * MB,
    type: "image",
    maxSize: 8 * MB,
  });
});

test.each([
  ["image/jpg", "image image/jpeg"],
  ["image/pjpeg", "image image/jpeg"],
  ["image/x-png", "image image/png"],
  ["video/avi", "video video/x-msvideo"],
  ["video/vnd.avi", "video video/x-msvideo"],
  ["video/msvideo", "video video/x-msvideo"],
  ["video/x-m4v", "video video/mp4"],
  ["video/mov", "video video/quicktime"],
  ["audio/x-m4a", "audio audio/mp4"],
  ["audio/m4a", "audio audio/mp4"],
  ["audio/x-wav", "audio audio/wav"],
  ["audio/wave", "audio audio/wav"],
  ["audio/vnd.wave", "audio audio/wav"],
  ["audio/aacp", "audio audio/aac"],
  ["application/x-pdf", "file application/pdf"],
  ["video/m4v", "video video/mp4"],
  ["video/x-mp4", "video video/mp4"],
  ["video/x-quicktime", "video video/quicktime"],
  ["video/x-ogg", "video video/ogg"],
  ["audio/x-aac", "audio audio/aac"],
  ["audio/x-hx-aac-adts", "audio audio/aac"],
  ["audio/mp4a-latm", "audio audio/mp4"],
  ["audio/x-pn-wav", "audio audio/wav"],
  ["VIDEO/WEBM; codecs=vp8", "video video/webm"],
  ["audio/mp4;codecs=mp4a.40.2", "audio audio/mp4"],
])("a declared file of type %s is %s on each connection", (contentType, expected) => {
  for (const connection of connections) expect(outcome(connection, contentType)).toBe(expected);
});

test.each<[string, MediaType | undefined, string, string, string]>([
  ["image/gif", undefined, "unsupported_media_type", "image image/gif", "image image/gif"],
  ["image/gif", "file", "unsupported_media_type", "unsupported_media_type", "file image/gif"],
  ["image/png", "file", "unsupported_media_type", "unsupported_media_type", "file image/png"],
  ["image/png", "video", "unsupported_media_type", "unsupported_media_type", "unsupported_media_type"],
  ["video/mp4", "audio", "unsupported_media_type", "unsupported_media_type", "unsupported_media_type"],
  ["audio/mp4", "video", "unsupported_media_type", "unsupported_media_type", "unsupported_media_type"],
  ["application/pdf", "image", "unsupported_media_type", "unsupported_media_type", "unsupported_media_type"],
  ["application/pdf", undefined, "file application/pdf", "file application/pdf", "file application/pdf"],
  ["application/zip", undefined, "unsupported_media_type", "unsupported_media_type", "file application/zip"],
  ["text/plain", undefined, "unsupported_media_type", "unsupported_media_type", "file text/plain"],
  ["image/webp", undefined, "unsupported_media_type", "unsupported_media_type", "unsupported_media_type"],
  ["image/webp", "file", "unsupported_media_type", "unsupported_media_type", "file image/webp"],
  ["image/heic", undefined, "unsupported_media_type", "unsupported_media_type", "unsupported_media_type"],
  ["audio/mpeg", undefined, "unsupported_media_type", "unsupported_media_type", "unsupported_media_type"],
  ["audio/mpeg", "file", "unsupported_media_type", "unsupported_media_type", "file audio/mpeg"],
  ["audio/ogg", undefined, "unsupported_media_type", "unsupported_media_type", "unsupported_media_type"],
  ["image/svg+xml", "file", "unsupported_media_type", "unsupported_media_type", "unsupported_media_type"],
  ["text/html", undefined, "unsupported_media_type", "unsupported_media_type", "unsupported_media_type"],
  [
    "constructor/prototype",
    undefined,
    "unsupported_media_type",
    "unsupported_media_type",
    "file constructor/prototype",
  ],
])(
  "a declared file of type %s as %s: %s by Instagram Login, %s by a page, %s on Messenger",
  (contentType, type, ...expected) => {
    expect(connections.map((connection) => outcome(connection, contentType, type))).toEqual(expected);
  },
);

test.each<[string, MediaType | undefined, Connection, number]>([
  ["image/png", undefined, "instagram_login", 8 * MB],
  ["image/gif", undefined, "messenger", 8 * MB],
  ["image/png", "file", "messenger", 25 * MB],
  ["video/mp4", undefined, "instagram_page", 25 * MB],
  ["audio/wav", undefined, "instagram_login", 25 * MB],
  ["application/pdf", undefined, "instagram_login", 25 * MB],
  ["application/zip", undefined, "messenger", 25 * MB],
])(
  "a declared file of type %s as %s may have its limit and no byte more: %s",
  (contentType, type, connection, limit) => {
    expect(declare(connection, contentType, type, limit)).toMatchObject({ size: limit, maxSize: limit });
    expect(declare(connection, contentType, type, limit + 1)).toEqual({
      refused: "attachment_too_large",
      detail: `The limit is ${limit} bytes.`,
    });
  },
);

test.each([
  ["filename", { filename: "" }],
  ["filename", { filename: "a".repeat(256) }],
  ["filename", { filename: "a/" }],
  ["content_type", { contentType: "" }],
  ["content_type", { contentType: "png" }],
  ["content_type", { contentType: "image/" }],
  ["content_type", { contentType: "image/png\r\nx: y" }],
  ["content_type", { contentType: "image/png, text/html" }],
  ["content_type", { contentType: `a/${"b".repeat(126)}` }],
  ["size", { size: 0 }],
  ["size", { size: -1 }],
  ["size", { size: 1.5 }],
  ["size", { size: Number.NaN }],
  ["size", { size: Number.POSITIVE_INFINITY }],
])("a declared file is invalid by its %s: %j", (field, change) => {
  expect(checkDeclared("messenger", { filename: "a", contentType: "image/png", size: 1, ...change })).toMatchObject({
    refused: "invalid_request",
    errors: [{ field }],
  });
});

test("a declared file is refused with the types that its account accepts, on Messenger also as a file", () => {
  const audio = "Accepted as audio for this account: audio/aac, audio/mp4, audio/wav.";
  const expected = [audio, audio, `${audio} As file, any type but a program is accepted.`];
  expect(connections.map((connection) => declare(connection, "audio/mpeg"))).toEqual(
    expected.map((detail) => ({ refused: "unsupported_media_type", detail })),
  );
});

test("a declared file is refused by its name on each connection if that is of a program", () => {
  for (const connection of connections) {
    expect(checkDeclared(connection, { filename: "a.pdf.exe", contentType: "application/pdf", size: 1 })).toEqual({
      refused: "unsupported_media_type",
      detail: "Programs, scripts and web pages are not accepted.",
    });
  }
});

test.each(connections.flatMap((connection) => closedTypeNames.map((type) => [type, connection] as const)))(
  "a posted file of type %s may have its limit and no byte more: %s",
  (contentType, connection) => {
    const declared = declare(connection, contentType);
    if ("refused" in declared) return expect(contentType).toBe("image/gif");
    const head = mediaFiles[contentType]();
    const limit = maxUploadSize(declared.type);
    expect(checkPosted(connection, declared, { size: limit, head })).toBeNull();
    expect(checkPosted(connection, declared, { size: limit + 1, head })).toEqual({
      refused: "attachment_too_large",
      detail: `The limit is ${limit} bytes.`,
    });
  },
);

const accepted = (connection: Connection, contentType: string, head: Buffer, type?: MediaType) => {
  const declared = declare(connection, contentType, type);
  if ("refused" in declared) throw new Error(declared.refused);
  return checkPosted(connection, declared, { size: head.length, head }) === null;
};

test("a posted picture as a file must still be what it claims on Messenger", () => {
  expect(accepted("messenger", "image/png", mediaFiles["image/png"](), "file")).toBe(true);
  expect(accepted("messenger", "image/png", mediaFiles["image/jpeg"](), "file")).toBe(false);
  expect(accepted("messenger", "image/png", latin1("text"), "file")).toBe(false);
});

test("a posted file of another type may start as any type on Messenger, but no file as a program", () => {
  expect(accepted("messenger", "application/zip", latin1("not an archive"))).toBe(true);
  expect(accepted("messenger", "application/octet-stream", mediaFiles["image/png"]())).toBe(true);
  for (const contentType of ["application/octet-stream", "text/plain", "application/zip", "image/png", "audio/aac"]) {
    expect(accepted("messenger", contentType, latin1("MZ\x90\0"))).toBe(false);
    expect(accepted("messenger", contentType, latin1("#!/bin/sh\n"))).toBe(false);
  }
});

test("a posted file is refused without anything of its name or its content", () => {
  const canary = "canary-7f3a";
  const declared = { contentType: "image/png", type: "image" } as const;
  const texts = connections.map((connection) =>
    JSON.stringify([
      checkPosted(connection, declared, { size: 9, head: latin1(canary) }),
      checkPosted(connection, declared, { size: 9 * MB, head: latin1(canary) }),
      checkDeclared(connection, { filename: `${canary}.exe`, contentType: `text/${canary}`, size: 1 }),
      checkDeclared(connection, { filename: canary.repeat(99), contentType: canary, size: 1 }),
    ]),
  );
  for (const text of texts) expect(text).not.toContain(canary);
});
