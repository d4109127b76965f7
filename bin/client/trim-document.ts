// What the client needs of the OpenAPI document, as one schema for each operation, each event and the error codes.

import { flattenChoice } from "./flatten-choice.ts";
import type { Json } from "./json.ts";

const METHODS = ["get", "post", "patch", "put", "delete"];
/** What narrows a schema without adding a field. TypeScript cannot express it, or only unreadably. */
const CONSTRAINTS = ["oneOf", "anyOf", "allOf", "not", "if", "then", "else"];

/**
 * The schemas of an OpenAPI document from which the client's types are made.
 * - `Operations`: `"GET /v1/conversations"` to `{ path?, query?, headers?, body?, data }`, for each operation whose
 *   response has the envelope `{ ok, data }`
 * - `Events`: the event types, each with its envelope
 * - `ErrorCode`: the codes of all failures
 * - the frames of the realtime stream, and the document's own schemas that all these refer to
 */
export function trimDocument(document: Json): Json {
  const resolve = resolverFor(document);
  const operations: Json = {};
  const codes = new Set<string>();
  for (const { name, operation } of operationsOf(document)) {
    const data = envelopeData(object(operation.responses), resolve);
    if (data === undefined) continue;
    operations[name] = toOperation(operation, data, resolve);
    for (const response of Object.values(object(operation.responses))) collectCodes(response, resolve, codes);
  }
  const schemas: Json = {
    ErrorCode: { type: "string", enum: [...codes].sort() },
    Events: objectSchema(eventSchemas(document, resolve)),
    Operations: objectSchema(operations),
  };
  const named = Object.fromEntries(
    Object.entries(object(object(document.components).schemas)).map(([name, schema]) => [
      name,
      flattenChoice(object(schema), resolve),
    ]),
  );
  for (const name of Object.keys(named)) if (name.endsWith("Frame")) schemas[name] = simplify(named[name]);
  for (const name of referredNames(schemas, named)) schemas[name] = simplify(named[name]);
  return {
    openapi: "3.1.0",
    info: { title: "Parley", version: "1.0.0" },
    paths: {},
    components: { schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))) },
  };
}

type Resolve = (value: unknown) => Json;

function resolverFor(document: Json): Resolve {
  const resolve: Resolve = (value) => {
    const { $ref } = object(value);
    if (typeof $ref !== "string") return object(value);
    return resolve(
      $ref
        .slice(2)
        .split("/")
        .reduce<unknown>((node, key) => object(node)[key], document),
    );
  };
  return resolve;
}

function* operationsOf(document: Json): Generator<{ name: string; operation: Json }> {
  for (const [path, item] of Object.entries(object(document.paths))) {
    for (const method of METHODS) {
      const operation = object(item)[method];
      if (operation !== undefined) yield { name: `${method.toUpperCase()} ${path}`, operation: object(operation) };
    }
  }
}

/** The schema of `data` in the first successful response; undefined for an operation without the envelope. */
function envelopeData(responses: Json, resolve: Resolve): unknown {
  const schemas = Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, response]) => resolve(resolve(object(object(resolve(response).content)["application/json"]).schema)));
  const envelope = schemas.find(({ properties }) => object(properties).ok !== undefined);
  return envelope && object(envelope.properties).data;
}

function toOperation(operation: Json, data: unknown, resolve: Resolve): Json {
  const parameters = ((operation.parameters as unknown[] | undefined) ?? []).map(resolve);
  const places = { path: "path", query: "query", headers: "header" } as const;
  const properties: Json = {};
  const required = ["data"];
  for (const [field, place] of Object.entries(places)) {
    const inPlace = parameters.filter((parameter) => parameter.in === place);
    if (inPlace.length === 0) continue;
    const requiredNames = inPlace.filter((parameter) => parameter.required === true).map(({ name }) => String(name));
    properties[field] = objectSchema(
      Object.fromEntries(
        inPlace.map(({ name, description, schema }) => [
          String(name),
          described(place === "query" ? timeOrNumber(object(schema)) : schema, withoutEncoding(description)),
        ]),
      ),
      requiredNames,
    );
    if (requiredNames.length > 0) required.push(field);
  }
  const body = resolve(operation.requestBody);
  const bodySchema = object(object(body.content)["application/json"]).schema;
  if (bodySchema !== undefined) {
    properties.body = simplify(bodySchema);
    if (body.required === true) required.push("body");
  }
  properties.data = simplify(data);
  const texts = [operation.summary, operation.description].filter((text) => typeof text === "string");
  return { ...objectSchema(properties, required), description: texts.join(". ") };
}

/** A time of the query may be epoch milliseconds, which the client writes as text. */
function timeOrNumber(schema: Json): Json {
  return JSON.stringify(schema).includes('"if":{"format":"date-time"}') ? { type: ["string", "integer"] } : schema;
}

/** The description without how the parameter is encoded in a URL: the client encodes parameters itself. */
function withoutEncoding(description: unknown): unknown {
  return typeof description === "string" ? description.split(" Percent-encode")[0] : description;
}

function described(schema: unknown, description: unknown): Json {
  return { ...object(simplify(schema)), ...(description === undefined ? {} : { description }) };
}

function eventSchemas(document: Json, resolve: Resolve): Json {
  const entries = Object.entries(object(document.webhooks)).map(([type, webhook]) => {
    const { requestBody } = object(object(webhook).post);
    return [type, simplify(object(object(resolve(requestBody).content)["application/json"]).schema)];
  });
  return Object.fromEntries(entries);
}

function collectCodes(value: unknown, resolve: Resolve, codes: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  const node = "$ref" in value ? resolve(value) : (value as Json);
  const code = object(object(node.properties).code);
  for (const name of [code.const, ...((code.enum as unknown[] | undefined) ?? [])]) {
    if (typeof name === "string") codes.add(name);
  }
  for (const [field, inner] of Object.entries(node)) if (field !== "headers") collectCodes(inner, resolve, codes);
}

/** Removes what narrows a schema without adding a field, and the fields that must be absent. */
function simplify(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplify);
  if (typeof value !== "object" || value === null) return value;
  const excluded = object((value as Json).not).type;
  if (excluded !== undefined && "type" in value) return simplify(withoutType(value as Json, excluded));
  const hasOwnShape = "properties" in value || "items" in value;
  const isPlain = ([field]: [string, unknown]) => !(hasOwnShape && CONSTRAINTS.includes(field)) && field !== "examples";
  const entries = Object.entries(value).filter(isPlain);
  return Object.fromEntries(
    entries.map(([field, inner]) => [field, field === "properties" ? possibleFields(object(inner)) : simplify(inner)]),
  );
}

function withoutType({ not: _, type, ...schema }: Json, excluded: unknown): Json {
  const types = [type].flat().filter((one) => one !== excluded);
  return { ...schema, type: types.length === 1 ? types[0] : types };
}

function possibleFields(properties: Json): Json {
  const isPossible = ([, schema]: [string, unknown]) => JSON.stringify(schema) !== '{"not":{}}';
  return Object.fromEntries(
    Object.entries(properties)
      .filter(isPossible)
      .map(([name, schema]) => [name, simplify(schema)]),
  );
}

/** The names of the schemas that a value refers to, directly or through another. */
function referredNames(value: unknown, named: Json, names = new Set<string>()): Set<string> {
  for (const [, name = ""] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"/]+)"/g)) {
    if (names.has(name) || named[name] === undefined) continue;
    names.add(name);
    referredNames(simplify(named[name]), named, names);
  }
  return names;
}

function objectSchema(properties: Json, required: readonly string[] = Object.keys(properties)): Json {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

function object(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
