import type { $ZodType, $ZodTypeDef } from "zod/v4/core";
import { type FieldProblem, invalidFields, type Refusal } from "#base/kernel/refusals.ts";
import type { Endpoint } from "../endpoint.ts";
import { nearestName } from "./nearest-route.ts";

// The parameters of a query and the fields of a body that a route does not know, and therefore ignores.

const IGNORED_MAX = 5;
/** The depth to which fields are compared. No body is declared deeper. */
const DEPTH_MAX = 8;
/** Elements of a list after these have the same fields. */
const ELEMENTS_MAX = 20;
/** Every request may name the tenant, also where the resource does. */
const TENANT = "tenant";
const PAGE_PARAMETERS = ["limit", "cursor"] as const;

/** A parameter or a field that a route ignores. */
interface IgnoredName {
  /** A path such as `attachments[0].caption`. A name that looks like none of ours is `?`, so that no value is repeated. */
  readonly name: string;
  /** The known name that is nearest; null when none is near. */
  readonly nearest: string | null;
}

/** What a request has that its route ignores. */
export interface IgnoredInput {
  /** At most five of the query and five of the body. */
  readonly names: readonly IgnoredName[];
  /** How many others there are. */
  readonly more: number;
}

/** The names of one part of a request, as they are collected. */
interface Collected {
  readonly names: IgnoredName[];
  more: number;
}

/**
 * The unknown parameters of a query and the unknown fields of a parsed body. A route without a body ignores one as a whole,
 * without a field.
 * @param value without the legacy names of fields
 */
export function ignoredInput<P>(
  { query, paged, body }: Pick<Endpoint<P>, "query" | "paged" | "body">,
  parameters: Iterable<string>,
  value: unknown,
): IgnoredInput {
  const ofQuery: Collected = { names: [], more: 0 };
  const shape = query ? (fieldsOf(query) ?? {}) : {};
  const knownNames = new Set([...Object.keys(shape), TENANT, ...(paged ? PAGE_PARAMETERS : [])]);
  for (const name of parameters) if (!knownNames.has(name)) add(ofQuery, { path: "", name, knownNames });

  const ofBody: Collected = { names: [], more: 0 };
  if (body !== undefined && body !== "bytes") collect({ schemas: [body], path: "", depth: 0 }, value, ofBody);
  return { names: [...ofQuery.names, ...ofBody.names], more: ofQuery.more + ofBody.more };
}

/** The value of the header `Parley-Ignored`; null when nothing is ignored. No name has a space, unlike the entry that counts. */
export function ignoredHeader({ names, more }: IgnoredInput): string | null {
  if (names.length === 0) return null;
  return [...names.map(({ name }) => name), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

/** Refuses what a strict key would have ignored. @param input with at least one name */
export function refuseIgnored({ names }: IgnoredInput): Refusal<"invalid_request"> {
  return invalidFields(
    names.map(
      ({ name, nearest }): FieldProblem => ({
        field: name,
        problem: nearest === null ? "is unknown" : `is unknown; the nearest name is ${nearest}`,
      }),
    ),
  );
}

/** Where a value is in the body, and what it may match there. */
interface Place {
  readonly schemas: readonly $ZodType[];
  readonly path: string;
  readonly depth: number;
}

function collect({ schemas, path, depth }: Place, value: unknown, ignored: Collected): void {
  if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return;
  const variants = schemas.flatMap(variantsOf);
  if (Array.isArray(value)) {
    const elements = variants.flatMap(({ def }) => (def.type === "array" ? [def.element] : []));
    if (elements.length === 0) return;
    for (const [index, element] of value.slice(0, ELEMENTS_MAX).entries()) {
      collect({ schemas: elements, path: `${path}[${index}]`, depth: depth + 1 }, element, ignored);
    }
    return;
  }
  const shapes = variants.flatMap(({ def }) => (def.type === "object" && !def.catchall ? [def.shape] : []));
  // What takes any field ignores none.
  if (shapes.length === 0 || variants.some(({ def }) => def.type === "record" || isOpen(def))) return;
  const knownNames = new Set(shapes.flatMap((shape) => Object.keys(shape)));
  for (const [name, field] of Object.entries(value)) {
    if (!knownNames.has(name)) add(ignored, { path, name, knownNames });
    else {
      const fields = shapes.flatMap((shape) => (Object.hasOwn(shape, name) ? [shape[name] as $ZodType] : []));
      collect({ schemas: fields, path: joined(path, name), depth: depth + 1 }, field, ignored);
    }
  }
}

function add(
  ignored: Collected,
  { path, name, knownNames }: { readonly path: string; readonly name: string; readonly knownNames: Iterable<string> },
): void {
  if (ignored.names.length >= IGNORED_MAX) {
    ignored.more += 1;
    return;
  }
  const isName = /^[a-z0-9_.]{1,40}$/i.test(name);
  ignored.names.push({
    name: joined(path, isName ? name : "?"),
    nearest: isName ? nearestName(knownNames, name) : null,
  });
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** A definition with what this file reads of it. */
type Definition =
  | { readonly type: "array"; readonly element: $ZodType }
  | { readonly type: "object"; readonly shape: Readonly<Record<string, $ZodType>>; readonly catchall?: $ZodType }
  | { readonly type: "other" | "record" };

/** The schemas that a value may match, without what wraps them. */
function variantsOf(schema: $ZodType): { readonly def: Definition }[] {
  const def = schema._zod.def as $ZodTypeDef & {
    readonly innerType?: $ZodType;
    readonly in?: $ZodType;
    readonly options?: readonly $ZodType[];
  };
  if (def.innerType) return variantsOf(def.innerType);
  if (def.in) return variantsOf(def.in);
  if (def.options) return def.options.flatMap(variantsOf);
  return [{ def: def as unknown as Definition }];
}

function isOpen(def: Definition): boolean {
  return def.type === "object" && def.catchall !== undefined;
}

function fieldsOf(schema: $ZodType): Readonly<Record<string, unknown>> | null {
  const [first] = variantsOf(schema);
  return first?.def.type === "object" ? first.def.shape : null;
}
