import type { Json } from "#http/openapi/schemas.ts";
import { compareMessages } from "./messages.ts";
import { resolve } from "./normalize.ts";
import { compareSchemas } from "./schemas.ts";
import type { Comparison, Versions } from "./versions.ts";

/** What clients of an operation would notice. @param name the method and the path */
export function compareOperations(documents: Versions, operations: Versions, name: string): string[] {
  return [
    ...compareName(operations, name),
    ...compareRights(operations, name),
    ...compareParameters({ ...documents, direction: "request" }, operations, name),
    ...compareBody(documents, operations, name),
    ...compareResponses(documents, operations, name),
  ];
}

function compareName({ released, current }: Versions, name: string): string[] {
  return released.operationId === current.operationId ? [] : [`${name}: the operationId was ${released.operationId}.`];
}

const roles = ["agent", "admin", "owner"];

/** Who may call: the ways to authenticate, the scopes of keys, the least role of a person. */
function compareRights({ released, current }: Versions, name: string): string[] {
  const rankOf = (role: unknown) => roles.indexOf((role as string | undefined) ?? "");
  const security = lost(released.security, current.security).map(
    (way) => `no longer accepts ${describeSecurity(way)}.`,
  );
  const scopes = lost(released["x-key-scopes"], current["x-key-scopes"]).map(
    (scope) => `refuses a key of scope ${scope}.`,
  );
  const role = rankOf(current["x-role"]) > rankOf(released["x-role"]) ? [`needs the role ${current["x-role"]}.`] : [];
  // An operation that needs no credential has an empty list.
  const isClosed = isEmpty(released.security) && !isEmpty(current.security);
  return [...(isClosed ? ["needs a credential."] : []), ...security, ...scopes, ...role].map(
    (problem) => `${name}: ${problem}`,
  );
}

function describeSecurity(way: unknown): string {
  return Object.keys(way as object).join(" with ");
}

function isEmpty(list: unknown): boolean {
  return ((list as unknown[] | undefined) ?? []).length === 0;
}

/** The members of a list that are not in the other one. */
function lost(released: unknown, current: unknown): unknown[] {
  const others = ((current as unknown[] | undefined) ?? []).map((member) => JSON.stringify(member));
  return ((released as unknown[] | undefined) ?? []).filter((member) => !others.includes(JSON.stringify(member)));
}

/** @param comparison "response" for the headers that Parley itself sends to an endpoint */
export function compareParameters(comparison: Comparison, operations: Versions, name: string): string[] {
  const released = parametersOf(comparison.released, operations.released);
  const current = parametersOf(comparison.current, operations.current);
  const existing = [...released].flatMap(([key, parameter]) => {
    const other = current.get(key);
    if (!other) return [`${name}: the ${key} was removed.`];
    const schemas = { released: textOf(parameter, comparison), current: other.schema as Json };
    return compareSchemas(comparison, schemas, `${name}: ${key}`);
  });
  const isRequired = (parameter: Json | undefined) => parameter?.required === true;
  const required =
    comparison.direction === "request"
      ? [...current].filter(([key, parameter]) => isRequired(parameter) && !isRequired(released.get(key)))
      : [...released].filter(([key, parameter]) => isRequired(parameter) && !isRequired(current.get(key) ?? parameter));
  const change = comparison.direction === "request" ? "is now required" : "may now be absent";
  return [...existing, ...required.map(([key]) => `${name}: the ${key} ${change}.`)];
}

/** The schema of a parameter. A number beside a text is a text as well: a URL has only texts. */
function textOf({ in: location, schema }: Json, { direction }: Comparison): Json {
  const { anyOf } = schema as Json;
  if (location !== "query" || direction !== "request" || !Array.isArray(anyOf)) return schema as Json;
  const isText = ({ type }: Json) => type === "string";
  if (!anyOf.some(isText)) return schema as Json;
  return { ...(schema as Json), anyOf: anyOf.filter(({ type }: Json) => type !== "integer") };
}

/** The parameters by their place and name. */
function parametersOf(root: Json, { parameters = [] }: Json): Map<string, Json> {
  const resolved = (parameters as Json[]).map((parameter) => resolve(root, parameter));
  return new Map(
    resolved.map((parameter) => [`${parameter.in} parameter ${String(parameter.name).toLowerCase()}`, parameter]),
  );
}

function compareBody(documents: Versions, operations: Versions, name: string): string[] {
  const released = operations.released.requestBody as Json | undefined;
  const current = operations.current.requestBody as Json | undefined;
  if (!released) return current?.required === true ? [`${name}: a body is now required.`] : [];
  if (!current) return [`${name}: the body was removed.`];
  const required =
    current.required === true && released.required !== true ? [`${name}: the body is now required.`] : [];
  const comparison: Comparison = { ...documents, direction: "request" };
  return [...required, ...compareMessages(comparison, { released, current }, `${name}: body`)];
}

/** The statuses with their headers and bodies. */
export function compareResponses(documents: Versions, operations: Versions, name: string): string[] {
  const current = operations.current.responses as Json;
  return Object.entries(operations.released.responses as Json).flatMap(([status, response]) => {
    if (current[status] === undefined) return [`${name}: the status ${status} was removed.`];
    const responses = {
      released: resolve(documents.released, response as Json),
      current: resolve(documents.current, current[status] as Json),
    };
    const path = `${name}: ${status}`;
    const comparison = { ...documents, direction: "response" } as const;
    return [...compareHeaders(comparison, responses, path), ...compareMessages(comparison, responses, path)];
  });
}

function compareHeaders(comparison: Comparison, responses: Versions, path: string): string[] {
  const current = (responses.current.headers ?? {}) as Json;
  return Object.entries((responses.released.headers ?? {}) as Json).flatMap(([name, header]) => {
    if (current[name] === undefined) return [`${path}: the header ${name} was removed.`];
    const { schema: released, required: wasRequired } = resolve(comparison.released, header as Json);
    const { schema, required } = resolve(comparison.current, current[name] as Json);
    const lost = wasRequired === true && required !== true ? [`${path}: the header ${name} may now be absent.`] : [];
    const schemas = { released: released as Json, current: schema as Json };
    return [...lost, ...compareSchemas(comparison, schemas, `${path}: ${name}`)];
  });
}
