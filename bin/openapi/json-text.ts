const LINE_CHARS_MAX = 120;

/**
 * JSON for people and for diffs: a value that fits is on one line, of at most 120 characters, and every other object or
 * list has a line for each of its members.
 */
export function toJsonText(value: unknown, indent = ""): string {
  const line = oneLine(value);
  if (indent.length + line.length <= LINE_CHARS_MAX || typeof value !== "object" || value === null) return line;
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((member) => `${inner}${toJsonText(member, inner)}`)
    : definedEntries(value).map(([name, member]) => `${inner}${JSON.stringify(name)}: ${toJsonText(member, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${members.join(",\n")}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = definedEntries(value).map(([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function definedEntries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}
