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

/** Whether a text starts as a script or as a page that runs scripts. Reads UTF-8, and UTF-16 with a byte order mark. */
export function startsAsProgramText(head: Buffer): boolean {
  const text = skipPreamble(decode(head).toLowerCase());
  return textMarks.some((mark) => text.startsWith(mark)) || isPageDoctype(text);
}

function decode(head: Buffer): string {
  const mark = head.toString("hex", 0, 3);
  if (mark === "efbbbf") return head.toString("utf8", 3);
  if (mark.startsWith("fffe")) return head.toString("utf16le", 2);
  // Node decodes one byte order only. An odd byte at the end belongs to no character.
  const evenLength = head.length - (head.length % 2);
  if (mark.startsWith("feff")) return Buffer.from(head.subarray(2, evenLength)).swap16().toString("utf16le");
  return head.toString("latin1");
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
