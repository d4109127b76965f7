import { type ApiDocument, resolveRef, type Schema } from "./document.ts";

// A response may have fields that its schema does not declare, because a version may add some. A test compares one
// version with its own document: there a field that is not declared is a mistake.

/**
 * The schema with its references resolved, in which an object has no other fields than the declared ones, where the
 * schema does not say otherwise.
 */
export function closeSchema(document: ApiDocument, schema: Schema): Schema {
  return close(flatten(document, schema, []));
}

/** Of texts, where JSON Schema cannot say the rule: there the document describes fewer values than a route accepts. */
const NARROWING = ["pattern", "format", "maxLength"];

/**
 * The schema with its references resolved, for what a route accepted.
 * @param comparesTexts false leaves out the rules of texts
 */
export function openSchema(document: ApiDocument, schema: Schema, comparesTexts: boolean): Schema {
  if (comparesTexts) return flatten(document, schema);
  const open = (node: Schema): Schema => {
    if (typeof node !== "object" || node === null) return node;
    const opened = mapSubschemas(node, open);
    for (const keyword of NARROWING) delete opened[keyword];
    return opened;
  };
  return open(flatten(document, schema));
}

/** The schema without references, with the parts of each `allOf` merged into one. Throws for a recursive schema. */
function flatten(document: ApiDocument, schema: Schema, path: readonly string[] = []): Schema {
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, allOf = [], ...own } = schema;
  if ($ref !== undefined && path.includes($ref)) throw new Error(`${$ref} is recursive.`);
  const target = $ref === undefined ? {} : flatten(document, resolveRef(document, $ref), [...path, $ref]);
  const parts = allOf.map((part: Schema) => flatten(document, part, path));
  const rest = mapSubschemas(own, (part) => flatten(document, part, path));
  return [target, ...parts].reduce(merge, rest);
}

const SCHEMA_MAPS = ["properties", "patternProperties"];
const SCHEMA_LISTS = ["anyOf", "oneOf", "prefixItems"];
const SCHEMAS = ["items", "additionalProperties", "contains", "propertyNames", "if", "then", "else", "not"];

function mapSubschemas(schema: Schema, change: (part: Schema) => Schema): Schema {
  const entries = Object.entries<Schema>(schema).map(([keyword, value]) => {
    if (SCHEMA_MAPS.includes(keyword)) {
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, change(part)]))];
    }
    if (SCHEMA_LISTS.includes(keyword)) return [keyword, value.map(change)];
    return [keyword, SCHEMAS.includes(keyword) ? change(value) : value];
  });
  return Object.fromEntries(entries);
}

/** Both schemas as one, where that is possible; else both side by side. */
function merge(one: Schema, other: Schema): Schema {
  if (typeof one !== "object" || typeof other !== "object") return one === true ? other : one;
  const merged: Schema = { ...one };
  for (const [keyword, value] of Object.entries<Schema>(other)) {
    const present = merged[keyword];
    if (present === undefined || JSON.stringify(present) === JSON.stringify(value)) merged[keyword] = value;
    else if (keyword === "properties") {
      const names = [...new Set([...Object.keys(present), ...Object.keys(value)])];
      merged.properties = Object.fromEntries(
        names.map((name) => [name, merge(present[name] ?? {}, value[name] ?? {})]),
      );
    } else if (keyword === "required") merged.required = [...new Set([...present, ...value])];
    else if (keyword === "items") merged.items = merge(present, value);
    else if (["description", "title", "examples", "example"].includes(keyword)) continue;
    else merged.allOf = [...(merged.allOf ?? []), { [keyword]: value }];
  }
  return merged;
}

const ANNOTATIONS = ["description", "title", "default", "example", "examples", "deprecated", "externalDocs"];

/** @param isBranch the schema around it closes the object */
function close(schema: Schema, isBranch = false): Schema {
  if (typeof schema !== "object" || schema === null) return schema;
  const inPlace = ["anyOf", "oneOf"].filter((keyword) => schema[keyword]);
  const { anyOf, oneOf, allOf, ...own } = mapSubschemas(schema, (part) => part);
  const closed = mapSubschemas(own, (part) => close(part));
  for (const annotation of ANNOTATIONS) delete closed[annotation];
  const describesObject = own.properties !== undefined || own.type === "object";
  for (const keyword of inPlace) {
    closed[keyword] = schema[keyword].map((part: Schema) => close(part, isBranch || describesObject));
  }
  if (allOf) closed.allOf = allOf;
  const isOpen = own.additionalProperties !== undefined || own.unevaluatedProperties !== undefined;
  if (isBranch || isOpen || !describesObject) return closed;
  return inPlace.length > 0 || own.patternProperties || allOf
    ? { ...closed, unevaluatedProperties: false }
    : { ...closed, additionalProperties: false };
}
