import { expect, it } from "vitest";
import type { FileKind } from "../../../../web/console/data/types.ts";
import { asFile, checkFile, IMAGES_MAX, togetherProblem } from "../../../../web/console/inbox/composer/files.ts";
import { textUse } from "../../../../web/console/inbox/composer/text-limit.ts";
import { texts } from "../../../../web/console/inbox/composer/texts.ts";

const MB = 2 ** 20;
const file = (type: string, size = 1_000, name = "a") => ({ name, type, size });
const take = (as: FileKind, contentType: string) => ({ kind: "take", as, contentType });
const refuse = (reason: string) => ({ kind: "refuse", reason });

// The table of docs/guides/uploads.md.
const types: readonly (readonly [string, FileKind])[] = [
  ["image/png", "image"],
  ["image/jpeg", "image"],
  ["video/mp4", "video"],
  ["video/quicktime", "video"],
  ["video/webm", "video"],
  ["video/ogg", "video"],
  ["video/x-msvideo", "video"],
  ["audio/aac", "audio"],
  ["audio/mp4", "audio"],
  ["audio/wav", "audio"],
  ["application/pdf", "file"],
];

it.each(types)("both platforms take %s as %s", (type, kind) => {
  expect(checkFile("instagram", file(type))).toEqual(take(kind, type));
  expect(checkFile("messenger", file(`${type.toUpperCase()}; codecs=x`))).toEqual(take(kind, type));
});

it.each([
  ["image/jpg", "image", "image/jpeg"],
  ["audio/x-m4a", "audio", "audio/mp4"],
  ["audio/x-wav", "audio", "audio/wav"],
  ["video/avi", "video", "video/x-msvideo"],
] as const)("the type %s is sent as %s by its usual name %s", (type, kind, usual) => {
  expect(checkFile("instagram", file(type))).toEqual(take(kind, usual));
});

it.each([
  ["video/mp4", 25],
  ["audio/wav", 25],
  ["application/pdf", 25],
] as const)("a file of type %s has at most %i MB, to the byte", (type, mb) => {
  expect(checkFile("instagram", file(type, mb * MB)).kind).toBe("take");
  expect(checkFile("instagram", file(type, mb * MB + 1))).toEqual(refuse(texts.files.tooLarge(mb)));
});

it("a picture of more than 8 MB becomes a JPEG, but a GIF is refused, because it would stand still", () => {
  expect(checkFile("messenger", file("image/png", 8 * MB)).kind).toBe("take");
  expect(checkFile("messenger", file("image/png", 8 * MB + 1))).toEqual({ kind: "convert" });
  expect(checkFile("messenger", file("image/gif", 8 * MB + 1))).toEqual(refuse(texts.files.tooLarge(8)));
});

it("a GIF stays one where the account takes it, and becomes a JPEG on Instagram", () => {
  expect(checkFile("messenger", file("image/gif"))).toEqual(take("image", "image/gif"));
  expect(checkFile("instagram", file("image/gif"))).toEqual({ kind: "convert" });
  expect(checkFile("instagram", file("image/gif"), true)).toEqual(take("image", "image/gif"));
});

it.each([
  ["image/webp", "a.webp"],
  ["image/avif", "a.avif"],
  ["image/bmp", "a.bmp"],
  ["image/heic", "a.heic"],
  ["", "IMG_1.HEIC"],
  ["", "a.webp"],
])("a picture of type “%s” named %s becomes a JPEG on both platforms", (type, name) => {
  expect(checkFile("instagram", file(type, 1_000, name))).toEqual({ kind: "convert" });
  expect(checkFile("messenger", file(type, 30 * MB, name))).toEqual({ kind: "convert" });
});

it.each([
  ["image/svg+xml", "image/svg+xml"],
  ["text/csv", "text/csv"],
  ["", "application/octet-stream"],
])("a file of type “%s” is sent as a file on Messenger alone", (type, sentType) => {
  expect(checkFile("instagram", file(type))).toEqual(refuse(texts.files.wrongType));
  expect(checkFile("messenger", file(type))).toEqual(take("file", sentType));
  expect(checkFile("messenger", file(type, 25 * MB + 1))).toEqual(refuse(texts.files.tooLarge(25)));
});

it("an empty file of any type is refused", () => {
  for (const type of ["image/png", "image/webp", "text/csv"]) {
    expect(checkFile("messenger", file(type, 0))).toEqual(refuse(texts.files.empty));
  }
});

it("a picture that could not be turned into a JPEG may go as a file on Messenger, up to 25 MB", () => {
  expect(asFile("messenger", file("image/heic", 25 * MB))).toEqual(take("file", "image/heic"));
  expect(asFile("messenger", file("image/heic", 25 * MB + 1)).kind).toBe("refuse");
  expect(asFile("instagram", file("image/heic")).kind).toBe("refuse");
});

it("ten pictures go together, and everything else goes alone", () => {
  const pictures = (count: number) => Array.from({ length: count }, (): FileKind => "image");
  expect(togetherProblem(pictures(IMAGES_MAX - 1), "image")).toBeNull();
  expect(togetherProblem(pictures(IMAGES_MAX), "image")).toBe(texts.files.tooMany(10));
  for (const kind of ["video", "audio", "file"] as const) {
    expect(togetherProblem([], kind)).toBeNull();
    expect(togetherProblem(["image"], kind)).toBe(texts.files.alone(kind));
    expect(togetherProblem([kind], "image")).toBe(texts.files.besides(kind));
    expect(togetherProblem([kind], kind)).toBe(texts.files.alone(kind));
  }
});

it.each([
  ["instagram", "a".repeat(799), 799, false, false],
  ["instagram", "a".repeat(800), 800, true, false],
  ["instagram", "a".repeat(1_000), 1_000, true, false],
  ["instagram", "ä".repeat(500), 1_000, true, false],
  ["instagram", `${"ä".repeat(500)}a`, 1_001, true, true],
  ["instagram", "👍🏽".repeat(126), 1_008, true, true],
  ["messenger", "ä".repeat(1_599), 1_599, false, false],
  ["messenger", "👍".repeat(2_000), 2_000, true, false],
  ["messenger", "👍".repeat(2_001), 2_001, true, true],
] as const)("%s counts the text %.6s… as %i", (platform, text, used, isNear, isOver) => {
  const [max, unit] = platform === "instagram" ? [1_000, "bytes"] : [2_000, "characters"];
  expect(textUse(platform, text)).toEqual({ used, max, unit, isNear, isOver });
});
