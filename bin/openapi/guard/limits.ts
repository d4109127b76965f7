import type { Alternative } from "./normalize.ts";
import type { Versions } from "./versions.ts";

const minima = ["minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum"] as const;
const maxima = ["maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum"] as const;
const exact = ["pattern", "format", "propertyNames", "multipleOf", "uniqueItems", "dependentRequired", "not"] as const;

/** The values that a request may no longer have, and the value that stands for an absent one. */
export function requestLimits({ released, current }: Versions<Alternative>): string[] {
  const numberOf = (schema: Alternative, keyword: string, absent: number) => (schema[keyword] as number) ?? absent;
  const isIn = (value: unknown) => toValues(current)?.some((other) => isSame(value, other)) ?? true;
  return [
    ...(toValues(released) ?? []).filter((value) => !isIn(value)).map((value) => `no longer accepts ${show(value)}.`),
    ...(toValues(current) && !toValues(released) ? ["now accepts only certain values."] : []),
    ...minima
      .filter((name) => numberOf(current, name, -Infinity) > numberOf(released, name, -Infinity))
      .map((name) => `${name} is now ${current[name]}.`),
    ...maxima
      .filter((name) => numberOf(current, name, Infinity) < numberOf(released, name, Infinity))
      .map((name) => `${name} is now ${current[name]}.`),
    ...exact
      .filter((name) => current[name] !== undefined && !isSame(released[name], current[name]))
      .filter((name) => name !== "pattern" || !isLongerList(released.pattern, current.pattern))
      .map((name) => `has another ${name}.`),
    ...(isClosed(current) && !isClosed(released) ? ["accepts no further fields."] : []),
    ...(isNarrower(released, current) ? ["now accepts only integers."] : []),
    ...(permitsAnything(released) && !permitsAnything(current) ? ["no longer accepts any value."] : []),
    ...(released.default !== undefined && !isSame(released.default, current.default)
      ? [`the default was ${show(released.default)}.`]
      : []),
  ];
}

/** The promises that a response no longer keeps. A list of values may grow, a single value may not. */
export function responseLimits({ released, current }: Versions<Alternative>): string[] {
  const values = toValues(released);
  const currentValues = toValues(current);
  if (values && !currentValues) return ["may now have any value."];
  if (permitsAnything(current) && !permitsAnything(released)) return ["may now be any value."];
  const isIn = (value: unknown) => currentValues?.some((other) => isSame(value, other)) ?? true;
  const isConstant = released.const !== undefined && currentValues && currentValues.length > 1;
  return [
    ...(values ?? []).filter((value) => !isIn(value)).map((value) => `no longer has the value ${show(value)}.`),
    ...(isConstant ? [`is no longer always ${show(released.const)}.`] : []),
    ...exact
      .filter((name) => released[name] !== undefined && !isSame(released[name], current[name]))
      .map((name) => `has another ${name}.`),
    ...(isNarrower(current, released) ? ["may now be a fraction."] : []),
  ];
}

function toValues(schema: Alternative): readonly unknown[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const];
}

/** Whether both are patterns of values that commas separate, and every value of the first is one of the second. */
function isLongerList(released: unknown, current: unknown): boolean {
  const values = listValues(released);
  const currentValues = listValues(current);
  return values?.every((value) => currentValues?.includes(value)) ?? false;
}

/** The values of a pattern such as `^(a|b)(,(a|b))*$`. */
function listValues(pattern: unknown): readonly string[] | undefined {
  const [, first, further] = /^\^\(([^()]+)\)\(,\(([^()]+)\)\)\*\$$/.exec(String(pattern)) ?? [];
  return first === further ? first?.split("|") : undefined;
}

function permitsAnything(schema: Alternative): boolean {
  return schema.type === undefined && toValues(schema) === undefined && schema.properties === undefined;
}

function isClosed({ additionalProperties }: Alternative): boolean {
  return additionalProperties === false;
}

/** Whether one is any number and the other only an integer. */
function isNarrower({ type: one }: Alternative, { type: other }: Alternative): boolean {
  return one === "number" && other === "integer";
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function show(value: unknown): string {
  return JSON.stringify(value);
}
