import type { Json } from "#http/openapi/schemas.ts";
import { requestLimits, responseLimits } from "./limits.ts";
import { type Alternative, alternatives } from "./normalize.ts";
import type { Comparison, Versions } from "./versions.ts";

/** Deeper is only a schema that contains itself. */
const DEPTH_MAX = 30;

/** What the current schema no longer accepts, or no longer promises. @param path for the messages */
export function compareSchemas(comparison: Comparison, schemas: Versions, path: string): string[] {
  if (path.split(/[.[]/).length > DEPTH_MAX) return [];
  const released = alternatives(comparison.released, schemas.released).map((one) =>
    comparison.direction === "request" ? withoutNullFields(comparison.released, one) : one,
  );
  const current = alternatives(comparison.current, schemas.current);
  const problemsOf = (one: Alternative, otherwise: string) => {
    const closest = mostAlike(one, current);
    if (closest.length === 0) return [`${path}: ${otherwise} ${nameOf(one)}.`];
    const problems = closest.map((other) => compareAlternatives(comparison, { released: one, current: other }, path));
    return problems.reduce((best, next) => (next.length < best.length ? next : best));
  };
  if (comparison.direction === "request") {
    return [...new Set(released.flatMap((one) => problemsOf(one, "no longer accepts")))];
  }
  const lost = released.filter(({ type }) => type !== "null").flatMap((one) => problemsOf(one, "is no longer"));
  const unexpected = current
    .filter((other) => !released.some((one) => isSameType(one, other)))
    .map((other) => `${path}: may now be ${nameOf(other)}.`);
  return [...new Set([...lost, ...unexpected])];
}

/**
 * The alternative without the fields that may only be null. A schema that does not declare such a field accepts the same
 * requests, unless it accepts no further fields, which is a limit of its own.
 */
function withoutNullFields(root: Json, one: Alternative): Alternative {
  if (one.properties === undefined || one.additionalProperties === false) return one;
  const fields = Object.entries(one.properties).filter(([, field]) => {
    const permitted = alternatives(root, field);
    return permitted.length === 0 || permitted.some(({ type }) => type !== "null");
  });
  return { ...one, properties: Object.fromEntries(fields) };
}

/** The alternatives of the same type that have the most of its fields. */
function mostAlike(one: Alternative, others: readonly Alternative[]): readonly Alternative[] {
  const candidates = others.filter((other) => isSameType(one, other));
  const fieldsOf = ({ properties = {} }: Alternative) =>
    Object.keys(one.properties ?? {}).filter((name) => name in properties).length;
  const most = Math.max(...candidates.map(fieldsOf));
  return candidates.filter((candidate) => fieldsOf(candidate) === most);
}

function isSameType({ type: one }: Alternative, { type: other }: Alternative): boolean {
  const isNumber = (type: string | undefined) => type === "integer" || type === "number";
  return one === other || one === undefined || other === undefined || (isNumber(one) && isNumber(other));
}

function nameOf({ type = "any value", const: only }: Alternative): string {
  return only === undefined ? type : JSON.stringify(only);
}

function compareAlternatives(
  comparison: Comparison,
  { released, current }: Versions<Alternative>,
  path: string,
): string[] {
  const limits = comparison.direction === "request" ? requestLimits : responseLimits;
  return [
    ...limits({ released, current }).map((problem) => `${path}: ${problem}`),
    ...compareProperties(comparison, { released, current }, path),
    ...compareMembers(comparison, { released, current }, path),
  ];
}

function compareProperties(
  comparison: Comparison,
  { released, current }: Versions<Alternative>,
  path: string,
): string[] {
  const { properties = {}, required = [] } = released;
  const { properties: currentProperties = {}, required: currentRequired = [] } = current;
  const existing = Object.entries(properties).flatMap(([name, schema]) => {
    const currentSchema = currentProperties[name];
    const field = `${path}.${name}`;
    if (currentSchema === undefined) return [`${field}: was removed.`];
    const lost =
      comparison.direction === "response" && required.includes(name) && !currentRequired.includes(name)
        ? [`${field}: may now be absent.`]
        : [];
    return [...lost, ...compareSchemas(comparison, { released: schema, current: currentSchema }, field)];
  });
  const newlyRequired =
    comparison.direction === "request" ? currentRequired.filter((name) => !required.includes(name)) : [];
  return [...existing, ...newlyRequired.map((name) => `${path}.${name}: is now required.`)];
}

/** The items of a list, and the values of a map. `false` permits none, which is a limit of the list or the map. */
function compareMembers(comparison: Comparison, { released, current }: Versions<Alternative>, path: string): string[] {
  return (["items", "additionalProperties"] as const).flatMap((keyword) => {
    const schemas = { released: released[keyword], current: current[keyword] };
    if (!isSchema(schemas.released) && !isSchema(schemas.current)) return [];
    if (schemas.released === false || schemas.current === false) return [];
    const members = { released: toSchema(schemas.released), current: toSchema(schemas.current) };
    return compareSchemas(comparison, members, `${path}${keyword === "items" ? "[]" : ".*"}`);
  });
}

/** Without a schema, any member is permitted. */
function toSchema(value: unknown): Json {
  return isSchema(value) ? value : {};
}

function isSchema(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}
