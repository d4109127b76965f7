import type { $ZodType } from "zod/v4/core";
import type { Role } from "../../shared/domain/access/roles.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from "../../shared/domain/limits.ts";
import { type Reason, toHttpError } from "../../shared/kernel/refusals.ts";
import { callerRefusals, commonRefusals, type Endpoint } from "./endpoint.ts";
import { type Json, toOpenApiSchema } from "./openapi-schemas.ts";
import { CSRF_COOKIE, CSRF_HEADER, SESSION_COOKIE } from "./session-names.ts";

// Neither a route nor a function's entry imports this file: the generator is not deployed.

export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
}

const HIGHER_ROLES: Record<Role, string> = { agent: ", `admin` or `owner`", admin: " or `owner`", owner: "" };

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
const correlationHeader = { "x-correlation-id": header("CorrelationId") };
const paceHeaders = {
  "ratelimit-limit": header("RateLimitLimit"),
  "ratelimit-remaining": header("RateLimitRemaining"),
  "ratelimit-reset": header("RateLimitReset"),
};

/** The OpenAPI 3.1 document of the routes, sorted by path. */
export function openApiDocument<P>(endpoints: readonly Endpoint<P>[], info: OpenApiInfo): Json {
  const schemas: Json = { Failure: failureSchema };
  const paths: { [path: string]: Json } = {};
  for (const endpoint of [...endpoints].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: toOperation(endpoint, schemas),
    };
  }
  return {
    openapi: "3.1.0",
    info,
    tags: [...new Set(endpoints.map((endpoint) => endpoint.tag))].map((name) => ({ name })),
    paths,
    components: { schemas, parameters: sharedParameters, headers: sharedHeaders, securitySchemes },
  };
}

function toOperation<P>(endpoint: Endpoint<P>, schemas: Json): Json {
  const name = endpoint.operation;
  const parameters = toParameters(endpoint, name, schemas);
  return {
    operationId: name,
    summary: endpoint.summary,
    ...toDescription(endpoint),
    tags: [endpoint.tag],
    security: toSecurity(endpoint),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.body === undefined ? {} : { requestBody: toRequestBody(endpoint.body, name, schemas) }),
    responses: { ...successResponses(endpoint, name, schemas), ...failureResponses(endpoint, schemas) },
  };
}

function toDescription<P>({ description, role }: Endpoint<P>): Json {
  const requiredRole = role === null ? [] : [`A signed-in person needs the role \`${role}\`${HIGHER_ROLES[role]}.`];
  const text = [...(description === undefined ? [] : [description]), ...requiredRole].join(" ");
  return text === "" ? {} : { description: text, ...(role === null ? {} : { "x-role": role }) };
}

/** Each item is one way to authenticate. A write with a session also needs its CSRF token. */
function toSecurity<P>({ auth, method }: Endpoint<P>): Json[] {
  const key = auth === "key" || auth === "caller" ? [{ apiKey: [] }] : [];
  const csrf = method === "GET" ? {} : { csrfToken: [] };
  return auth === "session" || auth === "caller" ? [...key, { session: [], ...csrf }] : key;
}

function toParameters<P>(endpoint: Endpoint<P>, name: string, schemas: Json): Json[] {
  const path = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({
    name: parameter,
    in: "path",
    required: true,
    description: `Percent-encoded: # is %23${endpoint.slashInId ? ", / is %2F" : ""}.`,
    schema: { type: "string", minLength: 1 },
  }));
  const shared = [
    ...(endpoint.tenant === "query" ? ["Tenant"] : []),
    ...(endpoint.paged ? ["Limit", "Cursor"] : []),
    ...(endpoint.idempotent ? ["IdempotencyKey"] : []),
  ].map((parameter) => ({ $ref: `#/components/parameters/${parameter}` }));
  return [...path, ...shared, ...queryParameters(endpoint.query, name, schemas)];
}

function queryParameters(query: $ZodType | undefined, name: string, schemas: Json): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = toOpenApiSchema(query, "input", name, schemas) as {
    properties?: { [parameter: string]: Json };
    required?: string[];
  };
  return Object.entries(properties).map(([parameter, { description, ...schema }]) => ({
    name: parameter,
    in: "query",
    required: required.includes(parameter),
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

function toRequestBody(body: $ZodType | "bytes", name: string, schemas: Json): Json {
  if (body === "bytes") return { required: true, content: { "*/*": {} } };
  const optional = body._zod.optin === "optional";
  const schema = { ...toOpenApiSchema(body, "input", name, schemas), propertyNames: { not: { const: "__proto__" } } };
  return { required: !optional, content: { "application/json": { schema } } };
}

function successResponses<P>(endpoint: Endpoint<P>, name: string, schemas: Json): Json {
  const data = endpoint.data && toOpenApiSchema(endpoint.data, "output", name, schemas);
  const schema =
    endpoint.envelope === false
      ? data
      : { type: "object", properties: { ok: { const: true }, data }, required: ["ok", "data"] };
  const response = {
    description: endpoint.summary,
    headers: {
      ...correlationHeader,
      ...(endpoint.auth === "none" ? {} : paceHeaders),
      ...(endpoint.idempotent ? { "idempotent-replayed": header("IdempotentReplayed") } : {}),
    },
    ...(schema === undefined ? {} : { content: { "application/json": { schema } } }),
  };
  const acceptedResponse = { ...response, description: `${endpoint.summary} (continues in the background)` };
  return {
    [endpoint.status ?? 200]: response,
    ...(endpoint.acceptedWhen === undefined ? {} : { 202: acceptedResponse }),
    ...(endpoint.emptyResponse === undefined
      ? {}
      : { 204: { description: endpoint.emptyResponse, headers: correlationHeader } }),
  };
}

function failureResponses<P>(endpoint: Endpoint<P>, schemas: Json): Json {
  const reasons: Reason[] = [...commonRefusals, ...callerRefusals(endpoint), ...(endpoint.refusals ?? [])];
  const byStatus = Map.groupBy([...new Set(reasons)], (reason) => toHttpError(reason).status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => {
      const fields = endpoint.errorFields?.[status];
      const fieldsSchema = fields && toOpenApiSchema(fields, "output", endpoint.operation, schemas);
      return [status, failureResponse(status, group, fieldsSchema)];
    }),
  );
}

function failureResponse(status: number, reasons: readonly Reason[], fieldsSchema: Json | undefined): Json {
  const codes = [...new Set(reasons.map((reason) => toHttpError(reason).code))];
  const { properties = {}, required } = (fieldsSchema ?? {}) as { properties?: Json; required?: string[] };
  const errorSchema = { properties: { code: { enum: codes }, ...properties }, ...(required ? { required } : {}) };
  const responseSchema = { properties: { error: errorSchema } };
  return {
    description: reasons.map((reason) => toHttpError(reason).message).join(" "),
    headers: {
      ...correlationHeader,
      ...(status === 429 || codes.includes("rate_limited") ? { "retry-after": header("RetryAfter") } : {}),
    },
    content: { "application/json": { schema: { allOf: [{ $ref: "#/components/schemas/Failure" }, responseSchema] } } },
  };
}

const failureSchema = {
  type: "object",
  properties: {
    ok: { const: false },
    error: {
      type: "object",
      properties: {
        code: { type: "string" },
        message: { type: "string", description: "What is wrong, for people." },
        detail: { type: "string" },
        errors: {
          type: "array",
          description: "The invalid fields, of a 400.",
          items: {
            type: "object",
            properties: {
              field: { type: "string", description: "A path such as `attachments[0].url`." },
              problem: { type: "string" },
            },
            required: ["field", "problem"],
          },
        },
      },
      required: ["code", "message", "detail"],
    },
  },
  required: ["ok", "error"],
};

const sharedParameters = {
  Tenant: {
    name: "tenant",
    in: "query",
    description:
      "The slug of the tenant. Required for an operator key and for a member of several tenants, else optional.",
    schema: { type: "string", pattern: "^[a-z][a-z0-9-]{1,38}[a-z0-9]$" },
  },
  Limit: {
    name: "limit",
    in: "query",
    description: `The page size. Values above ${PAGE_SIZE_MAX} are clamped to ${PAGE_SIZE_MAX}.`,
    schema: { type: "integer", minimum: 1, default: PAGE_SIZE_DEFAULT },
  },
  Cursor: {
    name: "cursor",
    in: "query",
    description: "The `next_cursor` of an earlier response to the same query.",
    schema: { type: "string" },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A unique key that you choose for this request. Repeating the key with the same body within 24 hours returns the first response and does nothing again.",
    schema: { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARS_MAX, pattern: "^[!-~]+$" },
  },
};

const sharedHeaders = {
  CorrelationId: {
    description: "The id of the request. Include it when you report a problem.",
    schema: { type: "string" },
  },
  RetryAfter: { description: "Seconds to wait before retrying.", schema: { type: "integer" } },
  RateLimitLimit: { description: "The requests that the key may make per minute.", schema: { type: "integer" } },
  RateLimitRemaining: { description: "The requests left in this minute.", schema: { type: "integer" } },
  RateLimitReset: { description: "Seconds until the next minute.", schema: { type: "integer" } },
  IdempotentReplayed: {
    description: "`true` if this is the response to an earlier request with the same Idempotency-Key.",
    schema: { type: "string", enum: ["true"] },
  },
};

const securitySchemes = {
  apiKey: { type: "http", scheme: "bearer", description: "An API key: svc_live_… or svc_test_…" },
  session: {
    type: "apiKey",
    in: "cookie",
    name: SESSION_COOKIE,
    description: "The session of a person who signed in. Read only when the request has no Authorization header.",
  },
  csrfToken: {
    type: "apiKey",
    in: "header",
    name: CSRF_HEADER,
    description: `The value of the cookie \`${CSRF_COOKIE}\`, and \`csrf_token\` of \`GET /console/me\`. Every write with a session needs it.`,
  },
};
