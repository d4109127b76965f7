export type Fields = Record<string, unknown>;

/** Thrown for a request the simulator's own routes cannot use; answered as 400 with the message. */
export class BadInput extends Error {}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text, or undefined when the field is absent or null. Throws BadInput for anything else. */
export function optionalText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new BadInput(`${name} must be a text`);
  return value;
}

export function requiredText(fields: Fields, name: string): string {
  const value = optionalText(fields, name);
  if (value === undefined || value === "") throw new BadInput(`${name} is missing: give it as a text`);
  return value;
}

export function optionalInteger(fields: Fields, name: string, least: number, most: number): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
    throw new BadInput(`${name} must be a whole number from ${least} to ${most}`);
  }
  return value;
}

export function optionalFlag(fields: Fields, name: string): boolean | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw new BadInput(`${name} must be true or false`);
  return value;
}

/** One of the words, or undefined when the field is absent. Throws BadInput that lists them. */
export function optionalWord<const Word extends string>(
  fields: Fields,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = optionalText(fields, name);
  if (value === undefined) return undefined;
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) throw new BadInput(`${name} must be one of ${words.join(", ")}`);
  return word;
}
