import fc from "fast-check";
import type { ResourceKind } from "../functions/route-table/rows.ts";
import {
  type ApiDocument,
  type DocumentedOperation,
  dereference,
  type Schema,
} from "../support/conformance/document.ts";
import { valuesOf, withoutRefs } from "../support/routes/schema-requests.ts";

// Requests to every operation, made from the OpenAPI document: some as it says, some not.

export interface FuzzRequest {
  readonly operation: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface FuzzValues {
  /** Ids of the tenants' resources by their kind, beside random ones. */
  readonly ids: Readonly<Record<ResourceKind, readonly string[]>>;
  readonly tenants: readonly string[];
}

export function fuzzRequests(document: ApiDocument, values: FuzzValues): fc.Arbitrary<FuzzRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      operationRequests({ document, path, method, operation }, values),
    ),
  );
  return fc.oneof(...operations);
}

interface Operation {
  readonly document: ApiDocument;
  readonly path: string;
  readonly method: string;
  readonly operation: DocumentedOperation;
}

function operationRequests(
  { document, path, method, operation }: Operation,
  { ids, tenants }: FuzzValues,
): fc.Arbitrary<FuzzRequest> {
  const parameters = (operation.parameters ?? []).map((parameter) => dereference(document, parameter));
  const inPlace = (place: string, named: (name: string) => fc.Arbitrary<string>) => {
    const chosen = parameters.filter((parameter) => parameter.in === place);
    const entries = chosen.map(({ name, schema }) => [
      name,
      fc.oneof({ weight: 3, arbitrary: named(name) }, texts(document, schema), fc.string()),
    ]);
    const requiredKeys = place === "path" ? chosen.map(({ name }) => name) : [];
    return fc.record<Record<string, string>>(Object.fromEntries(entries), { requiredKeys });
  };
  const anyId = fc.constantFrom(...Object.values(ids).flat());
  /** Mostly ids of the right kind: another tenant's is refused only there. */
  const idFor = (name: string) => {
    const kind = kindOf(path, name);
    return kind ? fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...ids[kind]) }, anyId) : anyId;
  };
  const content = operation.requestBody?.content ?? {};
  const schema = content["application/json"]?.schema;
  return fc
    .record({
      path: inPlace("path", idFor),
      query: inPlace("query", (name) => (name === "tenant" ? fc.constantFrom(...tenants) : idFor(name))),
      headers: inPlace("header", () => fc.constant("the-same-key")),
      extra: fc.oneof({ weight: 5, arbitrary: fc.constant("") }, fc.webQueryParameters()),
      body: schema ? bodies(document, schema, anyId) : fc.option(fc.string(), { nil: undefined }),
      // The page of a sign-in that failed is not built in this test.
      accept: fc.constant("application/json"),
    })
    .map(({ path: inPath, query, headers, extra, body, accept }) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(String(inPath[name]).toWellFormed() || "x"),
      );
      const search = new URLSearchParams(query as Record<string, string>).toString();
      const bodyOf = method === "get" || body === undefined ? {} : { body };
      const type = Object.keys(content)[0];
      return {
        operation: operation.operationId,
        method: method.toUpperCase(),
        path: `${filled}?${[search, extra].filter((part) => part !== "").join("&")}`,
        headers: { accept, ...(type ? { "content-type": type } : {}), ...headerValues(headers) },
        ...bodyOf,
      };
    });
}

const KINDS_BY_PARAMETER: Readonly<Record<string, ResourceKind>> = {
  account_key: "account",
  conversation_id: "conversation",
  deliveryId: "delivery",
  hold_id: "hold",
  slug: "tenant",
  upload_id: "upload",
  user_id: "member",
};
const KINDS_BY_FOLDER: Readonly<Record<string, ResourceKind>> = {
  conversations: "conversation",
  invites: "invite",
  keys: "key",
  messages: "message",
  webhooks: "endpoint",
};

/** What the parameter names. */
function kindOf(path: string, name: string): ResourceKind | undefined {
  const [, folder = ""] = /\/(\w+)\/\{id\}/.exec(path) ?? [];
  return name === "id" ? KINDS_BY_FOLDER[folder] : KINDS_BY_PARAMETER[name];
}

/** Values of the schema, as texts. */
function texts(document: ApiDocument, schema: Schema): fc.Arbitrary<string> {
  return values(document, schema).map((value) => String(value));
}

function values(document: ApiDocument, schema: Schema): fc.Arbitrary<unknown> {
  try {
    return valuesOf(withoutLengths(withoutRefs(document, schema)));
  } catch {
    return fc.jsonValue();
  }
}

/** Few texts that match some patterns have the right length: here any length will do. */
function withoutLengths(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(withoutLengths);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, withoutLengths(value)]);
  const copy = Object.fromEntries(entries);
  return typeof copy.pattern === "string" ? { ...copy, minLength: 0, maxLength: 1_000_000 } : copy;
}

/** As the schema says, with ids that exist, with one field replaced, or anything. */
function bodies(document: ApiDocument, schema: Schema, anyId: fc.Arbitrary<string>): fc.Arbitrary<string | undefined> {
  const valid = values(document, schema);
  const withIds = fc
    .tuple(valid, anyId)
    .map(([body, id]) => mapFields(body, (name, value) => (/_id$/.test(name) ? id : value)));
  const broken = fc
    .tuple(
      valid,
      fc.nat(20),
      fc.oneof(fc.jsonValue(), fc.constant("x".repeat(70_000)), fc.constant(Array(200).fill({}))),
    )
    .map(([body, at, value]) => {
      let n = 0;
      return mapFields(body, (_, present) => (n++ === at % 4 ? value : present));
    });
  return fc.oneof(
    valid.map((body) => JSON.stringify(body)),
    withIds.map((body) => JSON.stringify(body)),
    broken.map((body) => JSON.stringify(body)),
    fc.json(),
    fc.constantFrom('{"__proto__":{"a":1}}', "[".repeat(2_000), '{"a":1', "\u0000", '"\ud800"', "", undefined),
  );
}

function mapFields(body: unknown, change: (name: string, value: unknown) => unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, change(name, value)]));
}

/** Header values as HTTP has them. */
function headerValues(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/[^\x21-\x7e]/g, "?") || "?"]),
  );
}
