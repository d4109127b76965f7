import type { Json } from "#http/openapi/schemas.ts";
import { enumeration } from "./describe.ts";
import { emptyWords } from "./empty-words.ts";

/** What can be described, and what is wrong with the descriptions. */
export interface Coverage {
  /** How many operations, parameters, headers, schemas, fields, values and events the document has. */
  readonly total: number;
  readonly described: number;
  /** One line for each that has no description or an empty one. */
  readonly problems: readonly string[];
}

const METHODS = ["get", "post", "put", "patch", "delete"];
/** Longer is no title. */
const TITLE_CHARS_MAX = 50;

/** Counts the descriptions of a document. */
export function measureCoverage(document: Json): Coverage {
  const counter = new Counter();
  counter.document(document);
  return { total: counter.total, described: counter.total - counter.problems.length, problems: counter.problems };
}

class Counter {
  total = 0;
  readonly problems: string[] = [];

  document(document: Json): void {
    const components = document.components as Record<string, Json>;
    for (const section of ["paths", "webhooks"] as const) {
      for (const [path, item] of entries(document[section])) {
        for (const [, operation] of entries(item).filter(([method]) => METHODS.includes(method))) {
          this.#operation(operation, path);
        }
      }
    }
    for (const [name, schema] of entries(components.schemas)) {
      if (!("$ref" in schema)) this.#count(name, name, schema.description);
      this.#schema(schema, name);
    }
    for (const [name, parameter] of entries(components.parameters)) this.#described(parameter, name);
    for (const [name, header] of entries(components.headers)) this.#described(header, name);
    for (const [name, scheme] of entries(components.securitySchemes)) this.#described(scheme, name);
    for (const [name, response] of entries(components.responses)) this.#response(response, name);
    for (const tag of (document.tags as Json[] | undefined) ?? []) this.#described(tag, `tag ${tag.name}`);
  }

  #operation(operation: Json, path: string): void {
    const id = String(operation.operationId);
    const title = String(operation.summary ?? "");
    this.#count(`${id} (${path})`, id, operation.description);
    this.total += 1;
    if (title === "" || title.length > TITLE_CHARS_MAX || /[.()]$/.test(title.trim())) {
      this.problems.push(`${id}: the summary is no short title of at most ${TITLE_CHARS_MAX} characters.`);
    }
    for (const parameter of (operation.parameters as Json[] | undefined) ?? []) {
      if ("$ref" in parameter) continue;
      this.#count(`${id}: the parameter ${parameter.name}`, String(parameter.name), parameter.description);
      this.#values(`${id}: the parameter ${parameter.name}`, parameter.schema as Json, String(parameter.description));
    }
    this.#content(operation.requestBody as Json | undefined, id);
    for (const [status, response] of entries(operation.responses)) {
      if (!("$ref" in response)) this.#response(response, `${id} ${status}`);
    }
  }

  #response(response: Json, key: string): void {
    // The messages of the errors may be as short as a name.
    this.#count(key, "", response.description);
    for (const [name, header] of entries(response.headers)) {
      if (!("$ref" in header)) this.#count(`${key}: the header ${name}`, name, header.description);
    }
    this.#content(response, key);
  }

  #content(holder: Json | undefined, key: string): void {
    for (const [, media] of entries(holder?.content)) if (media.schema) this.#schema(media.schema as Json, key);
  }

  #schema(schema: Json, path: string): void {
    for (const [name, field] of entries(schema.properties)) {
      const key = `${path}.${name}`;
      if (isForbidden(field)) continue;
      if (!("$ref" in field)) this.#count(key, name, field.description);
      if (isNullable(field)) this.#null(key, field.description);
      this.#schema(field, key);
    }
    if (!("$ref" in schema)) this.#values(path, schema, String(schema.description));
    const parts = [
      schema.items,
      schema.additionalProperties,
      ...["anyOf", "oneOf", "allOf"].flatMap((each) => schema[each] ?? []),
    ];
    for (const part of parts) if (isSchema(part) && !isEnumeration(part)) this.#schema(part, `${path}[]`);
  }

  /** The values of a closed list: each is named in the description of what may have them. */
  #values(key: string, schema: Json, description: string): void {
    const values = enumeration(schema);
    // The errors have a page with each code.
    if (values.length < 2 || /\.error\.code$/.test(key)) return;
    for (const value of values) {
      this.total += 1;
      if (!description.includes(`\`${value}\``)) this.problems.push(`${key}: the value ${value} has no description.`);
    }
  }

  /** A reader must learn when a field is null. */
  #null(key: string, description: unknown): void {
    this.total += 1;
    if (!/\b(null|absent)\b/i.test(String(description))) this.problems.push(`${key}: does not say when it is null.`);
  }

  #described(node: Json, key: string): void {
    this.#count(key, key.split(" ").at(-1) ?? key, node.description);
  }

  #count(key: string, name: string, description: unknown): void {
    this.total += 1;
    if (typeof description !== "string" || description === "") this.problems.push(`${key}: has no description.`);
    else {
      const problem = emptyWords(name, description);
      if (problem !== null) this.problems.push(`${key}: the description ${problem}: ${description}`);
    }
  }
}

function isNullable({ type, anyOf, oneOf }: Json): boolean {
  const choices = [anyOf, oneOf].flatMap((each) => (Array.isArray(each) ? each : []));
  return [type].flat().includes("null") || choices.some((choice) => isSchema(choice) && isNullable(choice));
}

function isEnumeration(schema: Json): boolean {
  return Array.isArray(schema.enum);
}

/** `not: {}`: a field that must be absent. */
function isForbidden({ not }: Json): boolean {
  return isSchema(not) && Object.keys(not).length === 0;
}

function isSchema(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function entries(value: unknown): [string, Json][] {
  return Object.entries((value ?? {}) as Record<string, Json>);
}
