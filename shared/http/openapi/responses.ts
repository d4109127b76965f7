import type { Deprecation } from "../deprecation.ts";
import type { Answer, Endpoint, Status } from "../endpoint.ts";
import { type Failure, toFailures } from "./failures.ts";
import { addComponent, addVariant, type Components, type Json, toOpenApiSchema, typeName } from "./schemas.ts";
import { header, paceHeaders } from "./shared-components.ts";

// What an operation answers, by status.

export interface Response {
  readonly description: string;
  readonly headers: Json;
  readonly content?: Json;
}

const correlationHeader = { "x-correlation-id": header("CorrelationId") };

/** The failures of the operation itself, which an idempotency key gives again. */
const storedStatuses: ReadonlySet<number> = new Set([403, 404, 409, 502]);

const successDescriptions: Readonly<Record<Status, string>> = {
  200: "The request succeeded.",
  201: "What the request names was created.",
  202: "The request was accepted. Its work continues in the background.",
  204: "The request succeeded. The response has no body.",
  301: "The URL that replaces this one.",
  302: "The URL that comes next.",
  303: "The URL that comes next, to be read with GET.",
};

/** Every response of the operation, also those of the gateway in front of the service. */
export function toResponses<P>(endpoint: Endpoint<P>, components: Components): Json {
  const successes = Object.entries(successResponses(endpoint, components));
  const responses: Json = Object.fromEntries(
    successes.map(([status, response]) => [status, withDeclarations(endpoint, Number(status), response)]),
  );
  for (const failure of toFailures(endpoint, components)) {
    responses[failure.status] = toFailureResponse(endpoint, failure, components);
  }
  return responses;
}

function successResponses<P>(endpoint: Endpoint<P>, components: Components): { [status: string]: Response } {
  const { acceptedWhen, browserLocation, answers = {}, operation: owner } = endpoint;
  const data = endpoint.data && toOpenApiSchema(components, { schema: endpoint.data, io: "output", owner });
  const schema = endpoint.envelope === false ? data : successSchema(components, `${typeName(owner)}Data`, data);
  const status = endpoint.status ?? 200;
  const response: Response = {
    description: successDescriptions[status],
    headers: {
      ...correlationHeader,
      ...(endpoint.auth === "none" ? {} : paceHeaders),
      ...(endpoint.envelope === false ? {} : { "parley-ignored": header("ParleyIgnored") }),
      ...(endpoint.idempotent ? { "idempotent-replayed": header("IdempotentReplayed") } : {}),
    },
    ...(schema === undefined ? {} : { content: { "application/json": { schema } } }),
  };
  const { content: _, ...emptyResponse } = response;
  return {
    ...Object.fromEntries(Object.keys(answers).map((status) => [status, emptyResponse])),
    [status]: response,
    ...(acceptedWhen === undefined ? {} : { 202: { ...response, description: successDescriptions[202] } }),
    ...(browserLocation === undefined ? {} : { 302: toRedirect(emptyResponse) }),
  };
}

/** The envelope, with its data as a named schema. */
function successSchema(components: Components, name: string, data: Json | undefined): Json {
  const ok = { type: "boolean", const: true, description: "Always `true`: the request succeeded." };
  const named =
    data === undefined || "$ref" in data ? data : addComponent(components, "schemas", { name, definition: data });
  return { type: "object", properties: { ok, data: named }, required: ["ok", "data"] };
}

function toRedirect({ headers }: Response): Response {
  const location = { description: "A path of the console, with the outcome in its query.", schema: { type: "string" } };
  return { description: "A browser is redirected with the outcome.", headers: { ...headers, location } };
}

/** The failure, or the reference to the one that other operations have as well. */
function toFailureResponse<P>(
  endpoint: Endpoint<P>,
  { status, name, response }: Failure,
  components: Components,
): Response | { readonly $ref: string } {
  const declared = withDeclarations(endpoint, status, response);
  return endpoint.answers?.[status] || endpoint.deprecation
    ? declared
    : addVariant(components, "responses", { name, definition: declared });
}

function withDeclarations<P>(endpoint: Endpoint<P>, status: number, response: Response): Response {
  const { answers, deprecation, idempotent } = endpoint;
  const answer = answers?.[status];
  const replayable = idempotent && storedStatuses.has(status) ? withReplay(response) : response;
  const answered = answer ? withAnswer(replayable, answer) : replayable;
  return deprecation ? withDeprecationHeaders(answered, deprecation) : answered;
}

function withReplay(response: Response): Response {
  return { ...response, headers: { ...response.headers, "idempotent-replayed": header("IdempotentReplayed") } };
}

/** The response with what a route declares of it beside the envelope. */
function withAnswer({ content, ...response }: Response, { description, types = [], headers = {} }: Answer): Response {
  const ownHeaders = Object.entries(headers).map(([name, purpose]) => [
    name,
    { description: purpose, schema: { type: "string" } },
  ]);
  const texts = Object.fromEntries(
    types.map((type) => [type, { schema: type.includes("json") ? {} : { type: "string" } }]),
  );
  const ownContent = { ...content, ...texts };
  return {
    description: description ?? response.description,
    headers: { ...response.headers, ...Object.fromEntries(ownHeaders) },
    ...(Object.keys(ownContent).length === 0 ? {} : { content: ownContent }),
  };
}

function withDeprecationHeaders(response: Response, { sunset, link }: Deprecation): Response {
  const deprecationHeaders = {
    deprecation: header("Deprecation"),
    ...(sunset === undefined ? {} : { sunset: header("Sunset") }),
    ...(link === undefined ? {} : { link: header("DeprecationLink") }),
  };
  return { ...response, headers: { ...response.headers, ...deprecationHeaders } };
}
