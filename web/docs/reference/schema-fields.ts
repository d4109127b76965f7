import { type Html, html } from "../text/html.ts";
import { paragraphs } from "../text/markdown.ts";
import { type Json, object, resolve, strings, text } from "./document.ts";
import { alternatives, limits, requiredChoice, typeText } from "./schema-text.ts";

/** A schema may contain itself. */
const DEPTH_MAX = 7;

/** A field, a parameter or an item. */
export interface FieldRow {
  readonly name: string;
  readonly schema: unknown;
  readonly isRequired: boolean;
  readonly description?: string;
}

/** Whether every field of a request is named as required, or only that of a response that may be absent. */
export type Side = "request" | "response";

/** The fields of a schema, those of objects within it in `details`. Null if it has none. */
export function schemaFields(document: Json, value: unknown, side: Side, depth = 0): Html | null {
  const objects = innerObjects(document, value);
  if (objects.length === 0 || depth > DEPTH_MAX) return null;
  if (objects.length === 1) return objectFields(document, objects[0] as Json, side, depth);
  return html`${objects.map(
    (schema, i) =>
      html`<details class="fields-of"><summary>Variant ${i + 1}${variantName(document, schema)}</summary>${objectFields(document, schema, side, depth)}</details>`,
  )}`;
}

/** The rows of fields or parameters. */
export function fieldRows(document: Json, rows: readonly FieldRow[], side: Side, depth = 0): Html {
  return html`<ul class="fields">${rows.map((row) => fieldRow(document, row, side, { depth, isOnly: rows.length === 1 }))}</ul>`;
}

function objectFields(document: Json, schema: Json, side: Side, depth: number): Html | null {
  const required = strings(schema.required);
  const rows = Object.entries(object(schema.properties))
    .filter(([, property]) => !isForbidden(property))
    .map(([name, property]) => ({ name, schema: property, isRequired: required.includes(name) }));
  const extra = object(schema.additionalProperties);
  const others = Object.keys(extra).length > 0 ? [{ name: "(any name)", schema: extra, isRequired: false }] : [];
  if (rows.length + others.length === 0) return null;
  const choice = requiredChoice(schema);
  return html`${choice && html`<p class="choice">${choice}</p>`}${fieldRows(document, [...rows, ...others], side, depth)}`;
}

/** `not: {}`: no value is valid. */
function isForbidden(schema: unknown): boolean {
  const { not } = object(schema);
  return not !== undefined && Object.keys(object(not)).length === 0;
}

/** @param place `isOnly`: what the only field contains is open. */
function fieldRow(
  document: Json,
  { name, schema, isRequired, description }: FieldRow,
  side: Side,
  place: { readonly depth: number; readonly isOnly: boolean },
): Html {
  const words = description ?? text(resolve(document, schema).description);
  const rules = limits(document, schema, words);
  const inner = schemaFields(document, schema, side, place.depth + 1);
  const note =
    side === "request"
      ? isRequired && html` <span class="required">required</span>`
      : !isRequired && html` <span class="optional">may be absent</span>`;
  return html`<li><p class="field"><code class="name">${name}</code> <span class="type">${typeText(document, schema)}</span>${note}</p>${
    words !== "" && html`<div class="words">${paragraphs(words)}</div>`
  }${rules && html`<p class="limits">${rules}</p>`}${
    inner &&
    html`<details class="fields-of"${place.isOnly && html` open`}><summary>Fields of <code>${name}</code></summary>${inner}</details>`
  }</li>`;
}

/** The objects that a value may be or contain: itself, the items of arrays, its alternatives. */
function innerObjects(document: Json, value: unknown): Json[] {
  return alternatives(document, value).schemas.flatMap((schema) => {
    if (schema.type === "array") return innerObjects(document, schema.items ?? {});
    const hasFields =
      Object.keys(object(schema.properties)).length > 0 || Object.keys(object(schema.additionalProperties)).length > 0;
    return hasFields ? [schema] : [];
  });
}

/** The constant by which a variant differs from the others. */
function variantName(document: Json, schema: Json): Html | null {
  for (const [name, property] of Object.entries(object(schema.properties))) {
    const value = resolve(document, property).const;
    if (value !== undefined) return html`: <code>${name}</code> is <code>${String(value)}</code>`;
  }
  return null;
}
