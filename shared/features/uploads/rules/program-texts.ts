// Scripts and pages, by how their text starts.

/** In lower case. */
const textMarks: readonly string[] = [
  "#!",
  "<?php",
  "<?=",
  "<%",
  "<script",
  "<hta:",
  "<html",
  "<svg",
  "<job",
  "<scriptlet",
  "@echo",
  "[desktop entry]",
  "[internetshortcut]",
  "windows registry editor",
  "regedit4",
];

/** An element at the start of a page that has no `<html>`. */
const PAGE_ELEMENT = /^<(head|body|iframe|meta|title)[\s/>]/;

/** Whether a text starts as a script or as a page that runs scripts. Reads UTF-8 and UTF-16. */
export function startsAsProgramText(head: Buffer): boolean {
  const text = skipPreamble(decode(head).toLowerCase());
  return textMarks.some((mark) => text.startsWith(mark)) || PAGE_ELEMENT.test(text) || isPageDoctype(text);
}

function decode(head: Buffer): string {
  const mark = head.toString("hex", 0, 3);
  if (mark === "efbbbf") return head.toString("utf8", 3);
  if (mark.startsWith("fffe")) return head.toString("utf16le", 2);
  if (mark.startsWith("feff")) return decodeBigEndian(head.subarray(2));
  // Without a mark, the other byte of each ASCII character is zero.
  if (head[1] === 0 && head[3] === 0) return head.toString("utf16le");
  if (head[0] === 0 && head[2] === 0) return decodeBigEndian(head);
  return head.toString("latin1");
}

/** Node decodes the other byte order only. An odd byte at the end belongs to no character. */
function decodeBigEndian(bytes: Buffer): string {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
    .swap16()
    .toString("utf16le");
}

/** The text after spaces, XML declarations and comments, which a browser skips, too. */
function skipPreamble(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const end = rest.startsWith("<!--")
      ? rest.indexOf("-->") + 3
      : rest.startsWith("<?xml")
        ? rest.indexOf("?>") + 2
        : 0;
    // Without an end, `indexOf` gives -1.
    if (end < 4) return rest;
    rest = rest.slice(end).trimStart();
  }
}

function isPageDoctype(text: string): boolean {
  return /^<!doctype\s+(html|svg)/.test(text);
}
