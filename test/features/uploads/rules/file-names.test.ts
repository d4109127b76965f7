import { expect, test } from "vitest";
import { cleanFilename, copyName, fileExtension } from "#features/uploads/rules/media-types.ts";

test.each([
  ["a.png", "a.png"],
  ["Ünïcode 日本 👩‍👩‍👧.pdf", "Ünïcode 日本 👩‍👩‍👧.pdf"],
  ["e\u0301.png", "é.png"],
  ["/etc/passwd", "passwd"],
  ["C:\\Users\\me\\a.png", "a.png"],
  ["../../a.png", "a.png"],
  ["..\\..\\a.png", "a.png"],
  ["a\u0000b\r\n\tc\u007f\u0085.png", "abc.png"],
  ["photo\u202egnp.exe", "photognp.exe"],
  ["\u2066a\u2069\u200e\u200f\ufeff.png", "a.png"],
  ["a\u2028b\u2029.png", "ab.png"],
  ["\ud800a.png", "a.png"],
  ["  a.png  ", "a.png"],
  [".htaccess", ".htaccess"],
  [`${"/".repeat(254)}a`, "a"],
  ["a".repeat(255), "a".repeat(255)],
])("the file name %j becomes %j", (text, name) => {
  expect(cleanFilename(text)).toBe(name);
});

test.each([
  ["empty", ""],
  ["a byte too long", "a".repeat(256)],
  ["a byte too long in UTF-8", `${"é".repeat(127)}ab`],
  ["a path only", "a/b/"],
  ["dots", ".."],
  ["control characters only", "\u202e\u0000\n"],
  ["spaces only", "   "],
  // U+1D15F has 4 bytes, and 8 in the composed form, which Unicode excludes from composition.
  ["too long after composition", "\u{1d15f}".repeat(63)],
])("a file name is refused: %s", (_, text) => {
  expect(cleanFilename(text)).toBeNull();
});

test.each([
  ["a.PNG", "png"],
  ["a.tar.gz", "gz"],
  ["a", ""],
  ["a.exe.", "exe"],
  ["a.exe . .", "exe"],
  [".exe", "exe"],
  ["a.", ""],
])("the file name %j has the extension %j", (name, extension) => {
  expect(fileExtension(name)).toBe(extension);
});

test.each([
  ["image/jpeg", "photo.png", "upl_1.jpg"],
  ["application/pdf", "évil\r\n.exe", "upl_1.pdf"],
  ["application/zip", "a.ZIP", "upl_1.zip"],
  ["application/vnd.oasis.opendocument.text", "a.odt", "upl_1.odt"],
  ["text/plain", "notes", "upl_1.bin"],
  ["text/plain", "Invoice.Mueller", "upl_1.bin"],
  ["text/plain", "Contract 2026-11.22", "upl_1.bin"],
  ["text/plain", "Dr.Ann", "upl_1.bin"],
  ["text/plain", "a.日本", "upl_1.bin"],
  ["text/plain", "a.x/../../b", "upl_1.bin"],
  ["text/plain", "a.waytoolongext", "upl_1.bin"],
  ["text/plain", "a.b c", "upl_1.bin"],
])("the name of the copy of %s named %j is %s", (contentType, filename, name) => {
  expect(copyName("upl_1", contentType, filename)).toBe(name);
  expect(name).toMatch(/^[\w.]+$/);
});
