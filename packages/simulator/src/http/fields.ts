export type Fields = Record<string, unknown>;

/** Invalid input of a control request. The response is a 400 with the message. */
export class BadInput extends Error {}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string, or undefined if the field is absent or null. Throws BadInput for any other value. */
export function optionalString(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new BadInput(`${name} must be a string`);
  return value;
}

export function requiredString(fields: Fields, name: string): string {
  const value = optionalString(fields, name);
  if (value === undefined || value === "") throw new BadInput(`${name} is missing: set it to a string`);
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

/** One of the values, or undefined if the field is absent. Throws a BadInput that lists them. */
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

/** Throws a BadInput for a field that is not one of `names`, and lists them. */
export function refuseUnknownFields(fields: Fields, names: readonly string[]): void {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new BadInput(`unknown field ${JSON.stringify(unknown.slice(0, 60))}; the fields are: ${names.join(", ")}`);
}

/** Runs a check of a part of the input. Its BadInput names the place, such as `steps[2]`. */
export function atPlace<Value>(place: string, check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    if (error instanceof BadInput) throw new BadInput(`${place}: ${error.message}`);
    throw error;
  }
}

/** The value of a field that may be JSON in a text; undefined for a text that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
