import type { Role } from "#features/access/rules/callers.ts";
import type { Endpoint } from "../endpoint.ts";
import { failureResponse } from "./failures.ts";
import { toParameters, toRequestBody } from "./request.ts";
import { toResponses } from "./responses.ts";
import type { Components, Json } from "./schemas.ts";
import {
  deprecationHeaders,
  failureSchemas,
  securitySchemes,
  sharedHeaders,
  sharedParameters,
} from "./shared-components.ts";

// Neither a route nor a function's entry imports this folder: the generator is not deployed.

export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  readonly summary?: string;
  readonly description?: string;
  readonly license?: object;
}

const HIGHER_ROLES: Record<Role, string> = { agent: ", `admin` or `owner`", admin: " or `owner`", owner: "" };

/** The OpenAPI 3.1 document of the routes, sorted by path. */
export function openApiDocument(endpoints: readonly Endpoint<never>[], info: OpenApiInfo): Json {
  const components: Components = { schemas: { ...failureSchemas }, responses: {} };
  components.responses.RouteNotFound = failureResponse(404, ["route_not_found"], { components });
  components.responses.MethodNotAllowed = methodNotAllowed(components);
  const paths: { [path: string]: { [method: string]: Json } } = {};
  for (const endpoint of [...endpoints].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: toOperation(endpoint, components),
    };
  }
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: "/", description: "The deployment that serves this document." }],
    tags: [...new Set(endpoints.map((endpoint) => endpoint.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: byName(components.schemas),
      responses: byName(components.responses),
      parameters: sharedParameters,
      headers: endpoints.some(({ deprecation }) => deprecation)
        ? { ...sharedHeaders, ...deprecationHeaders }
        : sharedHeaders,
      securitySchemes,
    },
    "x-unrouted": {
      description: "The responses to a path that no route has, and to a method that its routes do not have.",
      responses: {
        404: { $ref: "#/components/responses/RouteNotFound" },
        405: { $ref: "#/components/responses/MethodNotAllowed" },
      },
    },
  };
}

function byName(components: Json): Json {
  return Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function methodNotAllowed(components: Components): Json {
  const { headers, ...response } = failureResponse(405, ["method_not_allowed"], { components });
  const allow = { description: "The methods of the path, separated by commas.", schema: { type: "string" } };
  return { ...response, headers: { ...headers, allow } };
}

function toOperation<P>(endpoint: Endpoint<P>, components: Components): Json {
  const parameters = toParameters(endpoint, components);
  return {
    operationId: endpoint.operation,
    summary: endpoint.summary,
    ...toDescription(endpoint),
    ...(endpoint.deprecation ? { deprecated: true } : {}),
    tags: [endpoint.tag],
    security: toSecurity(endpoint),
    ...toRights(endpoint),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...toRequestBody(endpoint, components),
    responses: toResponses(endpoint, components),
  };
}

function toDescription<P>({ description, role }: Endpoint<P>): Json {
  const requiredRole = role === null ? [] : [`A signed-in person needs the role \`${role}\`${HIGHER_ROLES[role]}.`];
  const text = [...(description === undefined ? [] : [description]), ...requiredRole].join(" ");
  return text === "" ? {} : { description: text };
}

/** The role that a signed-in person needs at least, and the scopes of the keys that may call. */
function toRights<P>({ auth, role, liveKeyOnly }: Endpoint<P>): Json {
  const scopes = liveKeyOnly ? ["live"] : ["live", "test"];
  return {
    ...(role === null ? {} : { "x-role": role }),
    ...(auth === "key" || auth === "caller" ? { "x-key-scopes": scopes } : {}),
  };
}

/** Each item is one way to authenticate. A write with a session also needs its CSRF token. */
function toSecurity<P>({ auth, method }: Endpoint<P>): Json[] {
  const key = auth === "key" || auth === "caller" ? [{ apiKey: [] }] : [];
  const csrf = method === "GET" ? {} : { csrfToken: [] };
  return auth === "session" || auth === "caller" ? [...key, { session: [], ...csrf }] : key;
}
