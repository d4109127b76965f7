export interface JsonPart {
  readonly kind: "key" | "text" | "value" | "sign";
  readonly text: string;
}

// Super-linear: not for JSON, in which each string has its end.
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)|([^"\d\-tfn]+|.)/gsu;
/** What changes the direction or the place of other characters, or has no form. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A value as indented JSON, in parts of one color. Characters without a form are escaped, as JSON allows. */
export function jsonParts(value: unknown): JsonPart[] {
  const json = JSON.stringify(value, null, 2).replace(INVISIBLE, escapeUnits);
  return [...json.matchAll(TOKEN)].flatMap(([whole, text, colon, literal]): JsonPart[] => {
    if (text === undefined) return [{ kind: literal === undefined ? "sign" : "value", text: whole }];
    if (colon === undefined) return [{ kind: "text", text }];
    return [
      { kind: "key", text },
      { kind: "sign", text: colon },
    ];
  });
}

function escapeUnits(characters: string): string {
  return characters
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
