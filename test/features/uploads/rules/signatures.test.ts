import { expect, test } from "vitest";
import { closedTypeNames } from "#features/uploads/rules/media-types.ts";
import { startsAs, typeByBytes } from "#features/uploads/rules/signatures.ts";
import { isoMedia, mediaFiles } from "../../../support/files/media-files.ts";
import { acceptedVariants, refusedRelatives, sharedIsoTypes } from "../../../support/files/media-variants.ts";

const typesOf = (head: Buffer) => closedTypeNames.filter((type) => startsAs(type, head));

test.each(closedTypeNames)("a file of type %s starts as no other type", (type) => {
  // An ISO media file does not say at its start whether it contains sound only.
  expect(typesOf(mediaFiles[type]())).toEqual(type === "video/mp4" ? sharedIsoTypes : [type]);
});

test.each(closedTypeNames)("no shorter start of a file of type %s is read beyond its end", (type) => {
  const file = mediaFiles[type]();
  for (let length = 0; length < Math.min(file.length, 200); length++) {
    expect(typesOf(file.subarray(0, length)).filter((other) => !typesOf(file).includes(other))).toEqual([]);
  }
});

test.each(acceptedVariants)("an accepted variant passes: %s", (_, head, types) => {
  expect(typesOf(head)).toEqual(types);
});

test.each(refusedRelatives)("a refused relative is of no accepted type: %s", (_, head) => {
  expect(typesOf(head)).toEqual([]);
});

test.each([
  ["video/quicktime", "isom", "video/mp4"],
  ["video/quicktime", "mp42", "video/mp4"],
  ["video/quicktime", "M4V ", "video/mp4"],
  ["video/quicktime", "qt  ", "video/quicktime"],
  ["video/mp4", "qt  ", "video/quicktime"],
  ["video/mp4", "isom", "video/mp4"],
  ["audio/mp4", "isom", "audio/mp4"],
  ["audio/mp4", "M4A ", "audio/mp4"],
] as const)("the type of a file that claims %s and has the brand %s is %s", (claimedType, brand, type) => {
  expect(typeByBytes(claimedType, isoMedia(brand, "vide"))).toBe(type);
});

test.each([
  ["video/mp4", "M4A "],
  ["video/quicktime", "M4A "],
  ["audio/mp4", "qt  "],
  ["audio/mp4", "M4V "],
  ["video/quicktime", "3gp4"],
] as const)("the bytes of a file do not turn %s into the kind of the brand %s", (claimedType, brand) => {
  expect(typeByBytes(claimedType, isoMedia(brand, "vide"))).toBeNull();
});
