import type { Json } from "#http/openapi/schemas.ts";

// Single changes of one operation, made at every place where they are possible.

/** A place in an operation: the names and indices of the path to it. */
type Place = readonly (string | number)[];

export interface Mutation {
  readonly place: string;
  /** What a report must name. */
  readonly names: string;
  /** The part of the operation that has the place, before and after. */
  readonly released: Json;
  readonly current: Json;
}

/** The operation with each reference replaced by what it references, so that a change concerns one place. */
export function dereference(root: Json, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => dereference(root, item));
  if (typeof node !== "object" || node === null) return node;
  const { $ref, ...rest } = node as Json;
  if (typeof $ref === "string") {
    const target = $ref
      .slice(2)
      .split("/")
      .reduce<unknown>((part, name) => (part as Json)[name], root);
    return { ...(dereference(root, target) as object), ...rest };
  }
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, dereference(root, value)]));
}

/** What takes something away. */
export function* removals(operation: Json): Generator<Mutation> {
  for (const { place, node, change } of nodesOf(operation)) {
    const keyword = place.at(-1);
    if (isMap(keyword)) {
      for (const name of Object.keys(node)) yield change(name, name, (map) => delete map[name]);
    }
    if (Array.isArray(node) && (keyword === "enum" || (keyword === "required" && !isRequest(place)))) {
      for (const [index, value] of node.entries()) yield change(index, String(value), removeAt(index));
    }
    if (keyword === "parameters" && Array.isArray(node)) {
      for (const [index, { name, required }] of (node as Json[]).entries()) {
        const named = String(name).toLowerCase();
        yield change(index, named, removeAt(index));
        if (required === true) continue;
        yield change(`${index} required`, named, (list) => {
          (list as Json)[index] = { ...node[index], required: true };
        });
      }
    }
    if (isRequest(place) && !isMap(keyword)) yield* narrowings({ place, node, change });
    if (!isRequest(place) && isFreeText(node) && keyword !== "propertyNames") {
      yield change("type", "null", (schema) => {
        schema.type = ["string", "null"];
      });
    }
  }
}

/** What makes the schema of a request accept less, or take an absent value for another one. */
function* narrowings({ place, node, change }: PlacedNode): Generator<Mutation> {
  const limits = { maxLength: -1, maximum: -1, maxItems: -1, minLength: 1, minimum: 1, minItems: 1 };
  for (const [keyword, step] of Object.entries(limits)) {
    if (typeof node[keyword] !== "number") continue;
    yield change(keyword, keyword === "maxLength" ? fieldOf(place) : keyword, (schema) => {
      schema[keyword] = Number(node[keyword]) + step;
    });
  }
  if (node.default === undefined) return;
  const names = `the default was ${JSON.stringify(node.default)}`;
  yield change("default", names, (schema) => delete schema.default);
  yield change("default changed", names, (schema) => {
    schema.default = "another";
  });
}

/** What only adds something. */
export function* additions(operation: Json): Generator<Mutation> {
  for (const { place, node, change } of nodesOf(operation)) {
    const keyword = place.at(-1);
    if (isMap(keyword)) {
      const name = keyword === "content" ? "text/csv" : "299";
      yield change("+", "", (map) => {
        map[name] = { description: "More", schema: { type: "string" } };
      });
    }
    if (keyword === "enum") yield change("+", "", (list) => (list as unknown as unknown[]).push("added"));
    if (keyword === "parameters") {
      const parameter = { name: "added", in: "query", schema: { type: "string" } };
      yield change("+", "", (list) => (list as unknown as unknown[]).push(parameter));
    }
    if (isRequest(place) && typeof node.maxLength === "number") {
      yield change("maxLength", "", (schema) => {
        schema.maxLength = Number(node.maxLength) + 1;
      });
    }
    if (isRequest(place) && isFreeText(node)) {
      yield change("type", "", (schema) => {
        schema.type = ["string", "null"];
      });
    }
    if (isRequest(place) && Array.isArray(node.required) && "properties" in node) {
      yield change("required", "", (schema) => delete schema.required);
    }
  }
}

interface PlacedNode {
  readonly place: Place;
  readonly node: Json;
  /** The mutation that changes a copy of the node. */
  readonly change: (at: string | number, names: string, edit: (copy: Json) => unknown) => Mutation;
}

/** Every object and list of the operation. */
function* nodesOf(operation: Json, place: Place = []): Generator<PlacedNode> {
  const node = place.reduce<unknown>((part, name) => (part as Json)[name], operation);
  if (typeof node !== "object" || node === null) return;
  const change: PlacedNode["change"] = (at, names, edit) => ({
    place: [...place, at].join("/"),
    names,
    released: focus(operation, place),
    current: focus(edited(operation, place, edit), place),
  });
  yield { place, node: node as Json, change };
  for (const name of Object.keys(node)) yield* nodesOf(operation, [...place, name]);
}

/** A copy along the way to the place, with the node there edited. */
function edited(node: Json, [name, ...rest]: Place, edit: (copy: Json) => unknown): Json {
  const copy = (Array.isArray(node) ? [...node] : { ...node }) as Json;
  if (name === undefined) edit(copy);
  else copy[name] = edited(node[name] as Json, rest, edit);
  return copy;
}

/** The operation with only the status, or only the request, that has the place. */
function focus({ requestBody, parameters, responses, ...operation }: Json, [section, status]: Place): Json {
  if (section !== "responses") return { ...operation, requestBody, parameters, responses: {} };
  const all = responses as Json;
  return { ...operation, responses: status === undefined ? all : { [status]: all[status] } };
}

function removeAt(index: number) {
  return (list: Json) => (list as unknown as unknown[]).splice(index, 1);
}

function isMap(keyword: string | number | undefined): boolean {
  return ["properties", "responses", "headers", "content"].includes(String(keyword));
}

function isRequest([section]: Place): boolean {
  return section === "requestBody" || section === "parameters";
}

function isFreeText(node: Json): boolean {
  return node.type === "string" && !("enum" in node) && !("const" in node);
}

/** The innermost field. */
function fieldOf(place: Place): string {
  const names = place.filter((_, index) => place[index - 1] === "properties");
  return String(names.at(-1) ?? "maxLength");
}
