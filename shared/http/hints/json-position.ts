// Finds where a text stops being JSON. `JSON.parse` says it only for some texts, and repeats a part of them.

/** The place of the first character that cannot continue JSON: line and column from 1, in characters. */
export function jsonErrorPosition(text: string): string {
  const index = firstError(text);
  const line = text.slice(0, index).split("\n");
  const place = `line ${line.length}, column ${(line.at(-1) ?? "").length + 1}`;
  return index >= text.length ? `ends too early at ${place}` : `is invalid at ${place}`;
}

const literals = ["true", "false", "null"];

/** What may follow: a value, a value or the end of an array, a name or the end of an object, a name, or what follows a value. */
type Expected = "value" | "value_or_end" | "name_or_end" | "name" | "after_value";

/** The index of the first character that is wrong there; the length of a text that ends too early. */
function firstError(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let at = skipBlanks(text, 0);
  while (at < text.length) {
    const character = text[at] ?? "";
    let end = at + 1;
    if (expected === "after_value") {
      const container = open.at(-1);
      if (character === "," && container) expected = container === "{" ? "name" : "value";
      else if (character === (container === "{" ? "}" : "]") && container) open.pop();
      else return at;
    } else if (expected === "name" || expected === "name_or_end") {
      if (character === "}" && expected === "name_or_end") {
        open.pop();
        expected = "after_value";
      } else {
        if (character !== '"') return at;
        const name = scanString(text, at);
        if (name.error !== null) return name.error;
        const colon = skipBlanks(text, name.end);
        if (text[colon] !== ":") return colon;
        end = colon + 1;
        expected = "value";
      }
    } else if (character === "]" && expected === "value_or_end") {
      open.pop();
      expected = "after_value";
    } else if (character === "{" || character === "[") {
      open.push(character);
      expected = character === "{" ? "name_or_end" : "value_or_end";
    } else {
      const value = scanScalar(text, at);
      if (value.error !== null) return value.error;
      end = value.end;
      expected = "after_value";
    }
    at = skipBlanks(text, end);
  }
  return text.length;
}

interface Scan {
  readonly end: number;
  /** Where it is wrong; null when it is a value. */
  readonly error: number | null;
}

function scanScalar(text: string, at: number): Scan {
  if (text[at] === '"') return scanString(text, at);
  const literal = literals.find((word) => word[0] === text[at]);
  if (literal === undefined) return scanNumber(text, at);
  for (let i = 0; i < literal.length; i++) if (text[at + i] !== literal[i]) return { end: at, error: at + i };
  return { end: at + literal.length, error: null };
}

function scanNumber(text: string, at: number): Scan {
  const start = text[at] === "-" ? at + 1 : at;
  let end = text[start] === "0" ? start + 1 : skipDigits(text, start);
  if (end === start) return { end, error: end };
  if (text[end] === ".") {
    const fraction = end + 1;
    end = skipDigits(text, fraction);
    if (end === fraction) return { end, error: end };
  }
  if (text[end] === "e" || text[end] === "E") {
    const sign = text[end + 1];
    const exponent = end + (sign === "+" || sign === "-" ? 2 : 1);
    end = skipDigits(text, exponent);
    if (end === exponent) return { end, error: end };
  }
  return { end, error: null };
}

function skipDigits(text: string, at: number): number {
  let end = at;
  while (/^\d$/.test(text[end] ?? "")) end += 1;
  return end;
}

function scanString(text: string, at: number): Scan {
  for (let i = at + 1; i < text.length; i++) {
    const character = text[i] ?? "";
    if (character === '"') return { end: i + 1, error: null };
    if (character < " ") return { end: i, error: i };
    if (character !== "\\") continue;
    i += 1;
    const escaped = text[i] ?? "";
    if (escaped === "u") {
      const digits = text.slice(i + 1, i + 5);
      const wrong = digits.search(/[^0-9a-f]/i);
      if (wrong !== -1) return { end: i, error: i + 1 + wrong };
      i += 4;
    } else if (!'"\\/bfnrt'.includes(escaped)) return { end: i, error: i };
  }
  return { end: text.length, error: text.length };
}

function skipBlanks(text: string, at: number): number {
  let end = at;
  while (end < text.length && " \t\n\r".includes(text[end] ?? "-")) end += 1;
  return end;
}
