import { type Html, html, joinHtml } from "../text/html.ts";
import { type Json, list, object, resolve, strings } from "./document.ts";

/** Longer patterns explain nothing. */
const PATTERN_CHARS_MAX = 60;

/** The alternatives of a schema, of which null is one more. */
export interface Alternatives {
  readonly schemas: readonly Json[];
  readonly isNullable: boolean;
}

export function alternatives(document: Json, value: unknown): Alternatives {
  const schema = merged(document, value);
  const choices = list(schema.anyOf ?? schema.oneOf).map((choice) => resolve(document, choice));
  const isChoice = choices.length > 0 && schema.type === undefined && schema.properties === undefined;
  const types = Array.isArray(schema.type) ? strings(schema.type) : null;
  if (types) {
    const others = types.filter((type) => type !== "null");
    return { schemas: others.map((type) => ({ ...schema, type })), isNullable: types.includes("null") };
  }
  if (!isChoice) return { schemas: [schema], isNullable: schema.type === "null" };
  const inner = choices.filter(({ type }) => type !== "null").map((choice) => alternatives(document, choice));
  return {
    schemas: inner.flatMap(({ schemas }) => schemas),
    isNullable: choices.some(({ type }) => type === "null") || inner.some(({ isNullable }) => isNullable),
  };
}

/** The schema with those of its `allOf` in one. */
export function merged(document: Json, value: unknown): Json {
  const { allOf, ...schema } = resolve(document, value);
  return list(allOf).reduce<Json>((sum, part) => mergeSchemas(sum, merged(document, part)), schema);
}

function mergeSchemas(a: Json, b: Json): Json {
  const [left, right] = [object(a.properties), object(b.properties)];
  const properties: { [name: string]: unknown } = { ...left };
  for (const [name, schema] of Object.entries(right)) {
    properties[name] = Object.hasOwn(left, name) ? mergeSchemas(object(left[name]), object(schema)) : schema;
  }
  const required = [...new Set([...strings(a.required), ...strings(b.required)])];
  return {
    ...a,
    ...b,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** `string or null`, `array of object`. */
export function typeText(document: Json, value: unknown): string {
  const { schemas, isNullable } = alternatives(document, value);
  const names = [...new Set(schemas.map((schema) => oneType(document, schema)))].filter((name) => name !== "null");
  return [...names, ...(isNullable ? ["null"] : [])].join(" or ");
}

function oneType(document: Json, schema: Json): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") {
    const items = schema.items === undefined ? "any value" : typeText(document, schema.items);
    return `array of ${items.includes(" or ") ? `(${items})` : items}`;
  }
  if (typeof schema.type === "string") return schema.format === "date-time" ? "time" : schema.type;
  if (schema.properties !== undefined) return "object";
  const [first] = list(schema.enum);
  return first === undefined ? "any value" : typeof first;
}

/**
 * What a value must meet: lengths, limits, the values of an enumeration.
 * @param words the description. A list of values in it is not repeated
 */
export function limits(document: Json, value: unknown, words = ""): Html | null {
  const parts = alternatives(document, value).schemas.flatMap((schema) => oneLimits(withoutListed(schema, words)));
  const unique = [...new Map(parts.map((part) => [typeof part === "string" ? part : part.markup, part])).values()];
  return unique.length === 0 ? null : joinHtml(unique, " · ");
}

/** The schema without the values that its description already has in a list. */
function withoutListed(schema: Json, words: string): Json {
  const { enum: values, ...rest } = schema;
  const isListed = list(values).length > 0 && list(values).every((value) => words.includes(`\n- \`${value}\`: `));
  return isListed ? rest : schema;
}

function oneLimits(schema: Json): (Html | string)[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, format, pattern } = schema;
  const range = (min: unknown, max: unknown, unit: string) => {
    if (min === undefined && max === undefined) return [];
    const count = (value: unknown) => Number(value).toLocaleString("en-US");
    if (max === undefined) return Number(min) === 0 ? [] : [`at least ${count(min)}${unit}`];
    return [
      min === undefined || Number(min) === 0 ? `at most ${count(max)}${unit}` : `${count(min)} to ${count(max)}${unit}`,
    ];
  };
  const isLarge = Number(maximum) >= Number.MAX_SAFE_INTEGER;
  const isShortPattern = typeof pattern === "string" && pattern.length <= PATTERN_CHARS_MAX && format === undefined;
  const isVisible = pattern === "\\S";
  return [
    ...(Array.isArray(schema.enum) && schema.enum.length > 0
      ? [
          html`one of ${joinHtml(
            schema.enum.map((item) => html`<code>${String(item)}</code>`),
            ", ",
          )}`,
        ]
      : []),
    ...range(minLength === 1 && maxLength === undefined ? undefined : minLength, maxLength, " characters"),
    ...range(Number(minimum) <= Number.MIN_SAFE_INTEGER ? undefined : minimum, isLarge ? undefined : maximum, ""),
    ...range(minItems, maxItems, " items"),
    ...(typeof format === "string" && format !== "date-time" ? [html`format <code>${format}</code>`] : []),
    ...(format === "date-time" ? ["ISO 8601, in UTC"] : []),
    ...(isVisible ? ["not only spaces"] : isShortPattern ? [html`pattern <code>${pattern}</code>`] : []),
    ...(schema.default === undefined ? [] : [html`default <code>${JSON.stringify(schema.default)}</code>`]),
  ];
}

/** Which of several fields an object needs. Null if it says nothing about that. */
export function requiredChoice(schema: Json): Html | null {
  for (const [name, words] of [
    ["oneOf", "Exactly one of these is required: "],
    ["anyOf", "At least one of these is required: "],
  ] as const) {
    const choices = list(schema[name]).map((choice) => strings(object(choice).required));
    if (choices.length < 2 || choices.some((names) => names.length === 0)) continue;
    const each = choices.map((names) =>
      joinHtml(
        names.map((field) => html`<code>${field}</code>`),
        " with ",
      ),
    );
    return html`${words}${joinHtml(each, ", ")}.`;
  }
  return null;
}
