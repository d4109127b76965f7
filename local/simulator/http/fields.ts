export type Fields = Record<string, unknown>;

/** Thrown for a request the simulator's own routes cannot use; answered as 400 with the message. */
export class BadInput extends Error {}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text, or undefined when the field is absent or null. Throws BadInput for anything else. */
export function optionalString(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new BadInput(`${name} must be a text`);
  return value;
}

export function requiredString(fields: Fields, name: string): string {
  const value = optionalString(fields, name);
  if (value === undefined || value === "") throw new BadInput(`${name} is missing: give it as a text`);
  return value;
}

export function optionalInteger(fields: Fields, name: string, min: number, max: number): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
    throw new BadInput(`${name} must be a whole number from ${min} to ${max}`);
  }
  return value;
}

export function optionalBoolean(fields: Fields, name: string): boolean | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw new BadInput(`${name} must be true or false`);
  return value;
}

/** One of the words, or undefined when the field is absent. Throws BadInput that lists them. */
export function optionalEnum<const Value extends string>(
  fields: Fields,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const value = optionalString(fields, name);
  if (value === undefined) return undefined;
  const match = values.find((candidate) => candidate === value);
  if (match === undefined) throw new BadInput(`${name} must be one of ${values.join(", ")}`);
  return match;
}
