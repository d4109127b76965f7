import { BASE_URL_MARK } from "../text/base-url.ts";
import { clientCall } from "./client-methods.ts";
import type { Json, Operation } from "./document.ts";
import { exampleParameters, recordedPath } from "./example-path.ts";
import { access, exampleBody, parameters, recordedRequest, requestBody } from "./requests.ts";

/** A request with curl. What a shell must not read is quoted. */
export function curlSnippet(document: Json, operation: Operation): string {
  const body = requestBody(document, operation);
  const method = operation.method === "GET" || (operation.method === "POST" && body) ? "" : `-X ${operation.method} `;
  const parts = [...credential(operation), ...requiredHeaders(document, operation), ...sentBody(document, operation)];
  return [`curl -sS ${method}"${BASE_URL_MARK}${examplePath(document, operation)}"`, ...parts].join(" \\\n  ");
}

function credential(operation: Operation): string[] {
  const { keyScopes, takesSession, needsCsrf } = access(operation);
  if (keyScopes !== null) return [`-H "Authorization: Bearer $KEY"`];
  if (!takesSession) return [];
  return [`-b "console_session=$SESSION"`, ...(needsCsrf ? [`-H "x-csrf-token: $CSRF_TOKEN"`] : [])];
}

/** As they were recorded, such as a platform's signature of the body. */
function requiredHeaders(document: Json, operation: Operation): string[] {
  const recorded = recordedRequest(operation)?.headers ?? {};
  return parameters(document, operation)
    .filter(({ place, isRequired }) => place === "header" && isRequired)
    .map(({ name }) => {
      const value = recorded[name.toLowerCase()];
      return `-H ${value === undefined ? `"${name}: ${shellVariable(name)}"` : shellQuote(`${name}: ${value}`)}`;
    });
}

/** A recorded text is sent as it is: a platform signs its bytes. */
function sentBody(document: Json, operation: Operation): string[] {
  const value = exampleBody(document, operation);
  if (value === undefined) return [];
  const isJson = requestBody(document, operation)?.mediaType.includes("json") === true;
  const data = typeof value === "string" ? value : indent(JSON.stringify(value, null, 2));
  return [...(isJson ? [`-H "Content-Type: application/json"`] : []), `-d ${shellQuote(data)}`];
}

/** A call of the client: its own method, where it has one. Null for what the client is not made for: pages, logins and what platforms call. */
export function clientSnippet(document: Json, operation: Operation): string | null {
  const { keyScopes, takesSession } = access(operation);
  if (!operation.path.startsWith("/v1/") && !(takesSession && operation.path.startsWith("/console/"))) return null;
  const { path, query } = exampleParameters(document, operation);
  const body = exampleBody(document, operation);
  const parts = Object.entries({ path, query, body })
    .filter(([, value]) => value !== undefined && Object.keys(value as Json).length > 0)
    .map(([name, value]) => `  ${name}: ${indent(toLiteral(value))},`);
  const call = `"${operation.method} ${operation.path}"`;
  const method = clientCall(`${operation.method} ${operation.path}`, { path, query, body });
  return [
    `import { Parley } from "@parley/client";`,
    "",
    `const parley = new Parley({ baseUrl: "${BASE_URL_MARK}"${keyScopes === null ? "" : ", apiKey: process.env.KEY"} });`,
    method !== null
      ? `const data = await parley.${method.method}(${method.values.map(toLiteral).join(", ")});`
      : parts.length === 0
        ? `const data = await parley.request(${call});`
        : `const data = await parley.request(${call}, {\n${parts.join("\n")}\n});`,
  ].join("\n");
}

/** The path of a recorded request, else with a variable for each parameter. */
function examplePath(document: Json, operation: Operation): string {
  const recorded = recordedPath(operation);
  if (recorded !== null) return recorded;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => shellVariable(name));
  const query = parameters(document, operation).filter(({ place, isRequired }) => place === "query" && isRequired);
  return query.length === 0 ? path : `${path}?${query.map(({ name }) => `${name}=${shellVariable(name)}`).join("&")}`;
}

/** `$DELIVERY_ID` for `deliveryId` */
function shellVariable(name: string): string {
  return `$${name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/\W/g, "_")
    .toUpperCase()}`;
}

function shellQuote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

/** JSON as people write it in TypeScript. What fits in a line and has one field is in one line. */
function toLiteral(value: unknown): string {
  const literal = JSON.stringify(value, null, 2).replace(/^( *)"([A-Za-z_]\w*)":/gm, "$1$2:");
  const lines = literal.split("\n");
  return lines.length === 3 ? lines.map((line) => line.trim()).join(" ") : literal;
}

function indent(literal: string): string {
  return literal.replaceAll("\n", "\n  ");
}
