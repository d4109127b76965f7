import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { closeSchema, openSchema } from "./closed-schemas.ts";
import {
  type ApiDocument,
  type DocumentedOperation,
  type DocumentedResponse,
  type DocumentedValue,
  dereference,
  type Schema,
} from "./document.ts";
import { operationFinder } from "./operations.ts";
import { describeError } from "./schema-errors.ts";

/** A request and its answer. */
export interface Exchange {
  readonly method: string;
  /** The path with its query, as sent. */
  readonly url: string;
  readonly requestHeaders: Headers;
  /** Null without a body, and where the body cannot be read. */
  readonly requestBody: Uint8Array | null;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Says what an exchange has that the document does not declare. */
export type CheckExchange = (exchange: Exchange) => readonly string[];

/** Headers that a client relies on: an operation that sends one declares it. */
const DECLARED_HEADERS = [
  "retry-after",
  "set-cookie",
  "location",
  "idempotent-replayed",
  "ratelimit-limit",
  "deprecation",
  "sunset",
  "link",
];
/** Any signed bytes are accepted. The document describes those that the platforms send. */
const UNCHECKED_REQUESTS = ["receivePlatformWebhook"];
/** Answers of the gateway itself, before any function. An operation declares all but those of a malformed request. */
const EDGE_STATUSES = [400, 404, 413, 500, 503];
const UNDECLARED_EDGE_STATUSES = [400, 404];

/**
 * Compiles each schema when it is first met.
 * @param comparesTexts whether the texts of requests are compared with their patterns and lengths
 */
export function exchangeChecker(document: ApiDocument, { comparesTexts = false } = {}): CheckExchange {
  const find = operationFinder(document);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const coercing = new Ajv2020({ strict: false, allErrors: true, coerceTypes: true });
  for (const one of [ajv, coercing]) addFormats.default(one);
  const validators = new Map<unknown, ValidateFunction>();
  /** @param schema the object of the document, by which the compiled function is cached */
  const validatorOf = (schema: Schema, use: "response" | "request" | "parameter"): ValidateFunction => {
    const known = validators.get(schema);
    if (known) return known;
    const derived = use === "response" ? closeSchema(document, schema) : openSchema(document, schema, comparesTexts);
    const validate = (use === "parameter" ? coercing : ajv).compile(derived);
    validators.set(schema, validate);
    return validate;
  };
  const problemsOf = (schema: Schema, use: "response" | "request" | "parameter", value: unknown): string[] => {
    const validate = validatorOf(schema, use);
    return validate(value) ? [] : (validate.errors ?? []).map((error) => describeError(error, value));
  };

  function responseProblems(operation: DocumentedOperation, exchange: Exchange): string[] {
    const declared = operation.responses[exchange.status];
    if (!declared) return [`the status ${exchange.status} is not declared${codeOf(exchange.body)}`];
    const response = dereference(document, declared);
    return [...headerProblems(response, exchange.headers), ...contentProblems(response, exchange)];
  }

  function headerProblems({ headers: declared = {} }: DocumentedResponse, headers: Headers): string[] {
    const names = Object.keys(declared).map((name) => name.toLowerCase());
    const undeclared = DECLARED_HEADERS.filter((name) => headers.has(name) && !names.includes(name));
    const isSniffed = headers.has("x-correlation-id") && headers.get("x-content-type-options") !== "nosniff";
    return [
      // Every response has it, so the document does not name it.
      ...(isSniffed ? ["the header x-content-type-options is missing"] : []),
      ...undeclared.map((name) => `the header ${name} is not declared`),
      ...Object.entries(declared).flatMap(([name, reference]) => {
        const { required = false, schema } = dereference(document, reference);
        const value = headers.get(name);
        if (value === null) return required ? [`the header ${name} is missing`] : [];
        return schema ? problemsOf(schema, "parameter", value).map((problem) => `header ${name}: ${problem}`) : [];
      }),
    ];
  }

  function contentProblems({ content }: DocumentedResponse, { method, headers, body, status }: Exchange): string[] {
    if (body.byteLength === 0) {
      return content && method !== "HEAD" ? [`${status} has no body`] : [];
    }
    const mediaType = (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    const declared = content?.[mediaType];
    if (!declared) return [`the content type "${mediaType}" of ${status} is not declared`];
    if (!declared.schema || !isJson(mediaType)) return [];
    const json = parseJson(body);
    if (json === undefined) return ["the body is not JSON"];
    return problemsOf(declared.schema, "response", json);
  }

  function requestProblems({ parameters = [], requestBody }: DocumentedOperation, exchange: Exchange): string[] {
    const query = new URLSearchParams(exchange.url.split("?")[1] ?? "");
    const resolved = parameters.map((parameter) => dereference(document, parameter));
    return [
      ...resolved.flatMap((parameter) => parameterProblems(parameter, query, exchange.requestHeaders)),
      ...(requestBody ? bodyProblems(dereference(document, requestBody), exchange.requestBody) : []),
    ];
  }

  function parameterProblems(parameter: DocumentedValue, query: URLSearchParams, headers: Headers): string[] {
    const { name, required = false, schema } = parameter;
    if (parameter.in !== "query" && parameter.in !== "header") return [];
    const value = parameter.in === "query" ? query.get(name) : headers.get(name);
    if (value === null) return required ? [`the parameter ${name} is missing`] : [];
    return schema ? problemsOf(schema, "parameter", value).map((problem) => `parameter ${name}: ${problem}`) : [];
  }

  function bodyProblems(
    { required, content }: NonNullable<DocumentedOperation["requestBody"]>,
    body: Uint8Array | null,
  ) {
    if (body === null || body.byteLength === 0) return required ? ["the body of the request is missing"] : [];
    const schema = content["application/json"]?.schema;
    if (!schema) return [];
    const json = parseJson(body);
    return json === undefined ? [] : problemsOf(schema, "request", json).map((problem) => `request: ${problem}`);
  }

  return (exchange) => {
    const [path = "/"] = exchange.url.split(/[?#]/);
    const route = find(exchange.method, path);
    const mayBeUndeclared = route.found !== "operation" || UNDECLARED_EDGE_STATUSES.includes(exchange.status);
    if (isEdgeAnswer(exchange) && mayBeUndeclared) return [];
    if (route.found !== "operation" || (route.isLonger && isUnrouted(exchange))) {
      return isUnrouted(exchange) ? [] : [`the document has no such ${route.found === "path" ? "method" : "path"}`];
    }
    const problems = responseProblems(route.operation, exchange);
    const isAccepted = exchange.status < 400 && !UNCHECKED_REQUESTS.includes(route.operation.operationId);
    return isAccepted ? [...problems, ...requestProblems(route.operation, exchange)] : problems;
  };
}

function isJson(mediaType: string): boolean {
  return /^application\/(\S+\+)?json$/.test(mediaType);
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
}

function errorCode(body: Uint8Array): string | undefined {
  const json = parseJson(body) as { readonly error?: { readonly code?: string } } | null | undefined;
  return json?.error?.code;
}

function codeOf(body: Uint8Array): string {
  const code = errorCode(body);
  return code === undefined ? "" : ` (${code})`;
}

/** `{ "message": … }`, and no id of the request. */
function isEdgeAnswer({ status, headers, body }: Exchange): boolean {
  if (!EDGE_STATUSES.includes(status) || headers.has("x-correlation-id")) return false;
  const json = parseJson(body);
  return typeof json === "object" && json !== null && Object.keys(json).join() === "message";
}

/** A path or a method that the document does not have: refused, or answered as a preflight. */
function isUnrouted({ method, status, body }: Exchange): boolean {
  if (method === "OPTIONS" && status === 204) return true;
  const code = errorCode(body);
  return (
    (status === 404 && (code === "route_not_found" || method === "HEAD")) ||
    (status === 405 && (code === "method_not_allowed" || method === "HEAD"))
  );
}
