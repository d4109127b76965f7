import type { Json } from "#http/openapi/schemas.ts";
import type { ExampleExchange, Examples } from "./examples/exchange.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
type Node = any;

/**
 * The document with the recorded examples: `examples` of request bodies and of answers, `example` of parameters, and
 * the whole exchanges as `x-examples` of their operation. An error whose answer several operations share is in
 * `x-examples` alone.
 */
export function embedExamples(document: Json, examples: Examples): Json {
  const paths = Object.entries(document.paths as Node).map(([path, operations]) => {
    const embedded = Object.entries(operations as Node).map(([method, operation]: [string, Node]) => {
      const exchanges = examples[operation.operationId]?.exchanges ?? [];
      return [method, exchanges.length === 0 ? operation : embedInOperation({ document, path }, operation, exchanges)];
    });
    return [path, Object.fromEntries(embedded)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

interface Place {
  readonly document: Json;
  readonly path: string;
}

function embedInOperation({ document, path }: Place, operation: Node, exchanges: readonly ExampleExchange[]): Node {
  const success = exchanges.find(({ response }) => response.status < 400);
  const { parameters, requestBody, responses, ...rest } = operation;
  return {
    ...rest,
    ...(parameters ? { parameters: success ? withValues({ document, path }, parameters, success) : parameters } : {}),
    ...(requestBody ? { requestBody: withRequests(requestBody, exchanges) } : {}),
    responses: withResponses(responses, exchanges),
    "x-examples": exchanges,
  };
}

/** Parameters of the operation alone have the value of the first success. Shared ones have none. */
function withValues({ path }: Place, parameters: readonly Node[], { request }: ExampleExchange): Node[] {
  const [requestPath = "", query = ""] = request.path.split("?");
  const segments = requestPath.split("/");
  const inPath = new Map(path.split("/").map((part, at) => [part, segments[at]]));
  const values = new URLSearchParams(query);
  return parameters.map((parameter) => {
    const value = parameter.in === "path" ? inPath.get(`{${parameter.name}}`) : values.get(parameter.name);
    if (parameter.$ref || value === undefined || value === null) return parameter;
    return { ...parameter, example: parameter.in === "path" ? decodeURIComponent(value) : toValue(parameter, value) };
  });
}

function toValue({ schema = {} }: Node, text: string): unknown {
  return schema.type === "integer" ? Number(text) : text;
}

function withRequests(requestBody: Node, exchanges: readonly ExampleExchange[]): Node {
  const accepted = exchanges.filter(({ request, response }) => response.status < 400 && request.body !== undefined);
  const content = Object.entries(requestBody.content ?? {}).map(([type, media]: [string, Node]) => {
    const examples = accepted.map(({ name, summary, request }) => {
      const value =
        type === "application/json" && typeof request.body === "string" ? JSON.parse(request.body) : request.body;
      return [name, { summary, value: type === FORM ? formFields(String(value)) : value }];
    });
    return [type, examples.length === 0 ? media : { ...media, examples: Object.fromEntries(examples) }];
  });
  return requestBody.content ? { ...requestBody, content: Object.fromEntries(content) } : requestBody;
}

const FORM = "application/x-www-form-urlencoded";

function formFields(body: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body));
}

function withResponses(responses: Node, exchanges: readonly ExampleExchange[]): Node {
  const embedded = Object.entries(responses).map(([status, declared]: [string, Node]) => {
    const recorded = exchanges.filter(
      ({ response }) => String(response.status) === status && response.body !== undefined,
    );
    if (!declared.content || recorded.length === 0) return [status, declared];
    const content = Object.entries(declared.content).map(([type, media]: [string, Node]) => {
      const ofType = recorded.filter(({ response }) => response.headers["content-type"]?.startsWith(type));
      const examples = ofType.map(({ name, summary, response }) => [name, { summary, value: response.body }]);
      return [type, examples.length === 0 ? media : { ...media, examples: Object.fromEntries(examples) }];
    });
    return [status, { ...declared, content: Object.fromEntries(content) }];
  });
  return Object.fromEntries(embedded);
}
