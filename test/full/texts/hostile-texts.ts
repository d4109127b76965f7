/** A text of exactly `length` UTF-16 units, which repeats a unit. */
export function fill(unit: string, length: number): string {
  // Through a buffer, so that the first read does not pay for joining the parts.
  const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  return Buffer.from(text, "utf16le").toString("utf16le");
}

/** What a text may repeat to make a parser begin again: separators, blanks, brackets, escapes, marks, other scripts. */
export const hostileUnits: readonly string[] = [
  ...[" ", "\t", " \t", ";", "; ", ",", ", ", "=", ";=", "/", "//", "\\", ".", "..", "-", "_", "%", "%2", "%41", '"'],
  ...[
    "'",
    ":",
    "@",
    "&",
    "&a",
    "a=&",
    "#",
    "+",
    "*",
    "?",
    "!",
    "~",
    "|",
    "[",
    "{",
    "(",
    "<",
    "</",
    "[]",
    "{}",
    "T",
    "Z",
  ],
  ...["a", "A", "0", "1", "a ", "a1", "a.", "a-", "a@", "a/", "a;", "a,", "a=b;", "q=0", "q=0.", "v1=", "sha256="],
  ...[
    "é",
    "\u00a0",
    "\u200b",
    "\u200d",
    "\u202e",
    "\ufeff",
    "\u2028",
    "\u0000",
    "\u001b[",
    "\ud800",
    "😀",
    "\u{e0041}",
  ],
  ...[
    "http:",
    "https://a",
    "Bearer ",
    "EAA",
    "IGAA",
    "access_token",
    "access_token=",
    "X-Amz-",
    "text/html",
    "svc_live_",
  ],
  ...[`${"a".repeat(39)} `, `${"1".repeat(15)},`, ":1", "console_session", "console_session ", "tag", "human agent"],
];

/** Each of these texts behind a start, as it is and with an end at which a pattern fails. */
export function hostileTexts(units: readonly string[], length: number, start = ""): { name: string; text: string }[] {
  return units.flatMap((unit) => {
    const name = `${start}${JSON.stringify(unit.length > 20 ? `${unit.slice(0, 20)}…` : unit)}`;
    return [
      { name, text: start + fill(unit, length - start.length) },
      { name: `${name} with another end`, text: `${start}${fill(unit, length - start.length - 2)}\u0001!` },
    ];
  });
}
