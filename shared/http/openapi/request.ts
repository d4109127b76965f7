import type { $ZodType } from "zod/v4/core";
import type { Endpoint } from "../endpoint.ts";
import { addComponent, type Components, type Json, toOpenApiSchema, typeName } from "./schemas.ts";

// What an operation reads: its parameters and its body.

/** The parameters of the path, of the query and in headers. */
export function toParameters<P>(endpoint: Endpoint<P>, components: Components): Json[] {
  const path = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({
    name: parameter,
    in: "path",
    required: true,
    ...(endpoint.slashInId ? { description: "Percent-encoded: `#` is `%23`, `/` is `%2F`." } : {}),
    schema: { type: "string", minLength: 1 },
  }));
  const shared = [
    ...(endpoint.tenant === "query" ? ["TenantSlug"] : []),
    ...(endpoint.paged ? ["Limit", "Cursor"] : []),
    ...(endpoint.idempotent ? ["IdempotencyKey"] : []),
  ].map((parameter) => ({ $ref: `#/components/parameters/${parameter}` }));
  const query = fieldParameters("query", endpoint.query, { endpoint, components });
  const headers = fieldParameters("header", endpoint.requestHeaders, { endpoint, components });
  return [...path, ...shared, ...query, ...headers];
}

interface ParameterContext<P> {
  readonly endpoint: Endpoint<P>;
  readonly components: Components;
}

function fieldParameters<P>(
  place: "query" | "header",
  schema: $ZodType | undefined,
  { endpoint, components }: ParameterContext<P>,
): Json[] {
  if (schema === undefined) return [];
  const use = { schema, io: "input", owner: endpoint.operation } as const;
  const { properties = {}, required = [] } = toOpenApiSchema(components, use) as {
    properties?: { [parameter: string]: Json };
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...parameterSchema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: parameterSchema,
  }));
}

/** The body. A raw one has the media type and the schema that the route declares for the document. */
export function toRequestBody<P>(endpoint: Endpoint<P>, components: Components): Json {
  const { body, rawBody, operation: owner } = endpoint;
  if (body === undefined) return {};
  if (body === "bytes") {
    const content = rawBody
      ? { [rawBody.type]: { schema: toOpenApiSchema(components, { schema: rawBody.schema, io: "input", owner }) } }
      : { "*/*": {} };
    return { requestBody: { required: true, content } };
  }
  const optional = body._zod.optin === "optional";
  const bodySchema = toOpenApiSchema(components, { schema: body, io: "input", owner });
  const definition = { ...bodySchema, propertyNames: { not: { const: "__proto__" } } };
  const schema = addComponent(components, "schemas", { name: `${typeName(owner)}Request`, definition });
  return { requestBody: { required: !optional, content: { "application/json": { schema } } } };
}
