import { IDEMPOTENCY_KEY_CHARS_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from "#base/kernel/limits.ts";
import { TENANT_SLUG_PATTERN } from "#base/kernel/tenant.ts";
import { CSRF_COOKIE, CSRF_HEADER, SESSION_COOKIE } from "../credentials/session-names.ts";

// The parts of the document that many operations reference.

/** `ok` of a failure. */
export const failedFlag = { type: "boolean", const: false, description: "Always `false`: the request failed." };

/** The fields of every `error`. A failure of an operation has the codes that it may have. */
export const errorProperties = {
  code: {
    type: "string",
    description:
      "What went wrong, for programs. Within a major version codes are only added: tolerate one that you do not know.",
  },
  message: {
    type: "string",
    description: "What is wrong and how to fix it, for people. The words may change in any version.",
  },
  detail: {
    type: "string",
    description: "More about the cause, such as the platform's own words. Empty when there is nothing more to say.",
  },
  docs_url: {
    type: "string",
    description: "The part of the deployment's documentation about this `code`, for people.",
  },
  errors: {
    type: "array",
    description: "The invalid fields and parameters. Only a 400 of a body or a query has it.",
    items: { $ref: "#/components/schemas/FieldProblem" },
  },
};

export const errorRequired = ["code", "message", "detail"];

/** The schemas of failures: of the service's own, and of the gateway in front of it. */
export const failureSchemas = {
  FieldProblem: {
    type: "object",
    description: "One invalid field or parameter of a request.",
    properties: {
      field: { type: "string", description: "Where it is: a name, or a path such as `attachments[0].url`." },
      problem: { type: "string", description: "What is wrong with its value, for people: `must be at least 1`." },
    },
    required: ["field", "problem"],
  },
  GatewayError: {
    type: "object",
    description:
      "The answer of the gateway in front of the service, without the envelope and without `x-correlation-id`. The body may be absent: branch on the status.",
    properties: { message: { type: "string", description: "What the gateway says, such as `Too Many Requests`." } },
    required: ["message"],
    additionalProperties: false,
  },
};

export const sharedParameters = {
  TenantSlug: {
    name: "tenant",
    in: "query",
    description:
      "The slug of the tenant. Required for an operator key and for a member of several tenants, else optional.",
    schema: { type: "string", pattern: TENANT_SLUG_PATTERN },
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

export const sharedHeaders = {
  CorrelationId: {
    description: "The id of the request. Include it when you report a problem.",
    schema: { type: "string" },
  },
  RetryAfter: { description: "Seconds to wait before retrying.", schema: { type: "integer" } },
  RateLimitLimit: {
    description: "The requests that the key or the session may make per minute. Present once it is valid.",
    schema: { type: "integer" },
  },
  RateLimitRemaining: { description: "The requests left in this minute.", schema: { type: "integer" } },
  RateLimitReset: { description: "Seconds until the next minute.", schema: { type: "integer" } },
  ParleyIgnored: {
    description:
      "The query parameters and body fields that the route does not know and therefore ignored, separated by commas: at most five of each, and then how many others, as `and 3 more`. A refused request has it, too. Absent when there are none. A strict key gets a 400 that names them instead.",
    schema: { type: "string" },
  },
  WwwAuthenticate: {
    description:
      "The scheme of the credential that the route takes, and why the one of the request is refused (RFC 6750).",
    schema: { type: "string" },
  },
  IdempotentReplayed: {
    description: "`true` if this is the response to an earlier request with the same Idempotency-Key.",
    schema: { type: "string", enum: ["true"] },
  },
};

/** The headers of the responses of a deprecated operation. */
export const deprecationHeaders = {
  Deprecation: {
    description: "Since when the operation is deprecated: `@` and the seconds since 1970 (RFC 9745).",
    schema: { type: "string", pattern: "^@[0-9]+$" },
  },
  Sunset: {
    description: "When the operation may end, as an HTTP date (RFC 8594).",
    schema: { type: "string" },
  },
  DeprecationLink: {
    description: 'Where the deprecation is explained, with `rel="deprecation"`.',
    schema: { type: "string" },
  },
};

/** The reference to a shared header. */
export const header = (name: keyof typeof sharedHeaders | keyof typeof deprecationHeaders) => ({
  $ref: `#/components/headers/${name}`,
});

/** The headers of a response to a valid key or session. */
export const paceHeaders = {
  "ratelimit-limit": header("RateLimitLimit"),
  "ratelimit-remaining": header("RateLimitRemaining"),
  "ratelimit-reset": header("RateLimitReset"),
};

export const securitySchemes = {
  apiKey: {
    type: "http",
    scheme: "bearer",
    description: "An API key, `svc_live_…` or `svc_test_…`, in the header `Authorization: Bearer <key>`.",
  },
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
