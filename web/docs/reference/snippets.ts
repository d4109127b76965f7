import type { Json, Operation } from "./document.ts";
import { access, exampleBody, exchanges, parameters, requestBody } from "./requests.ts";

/** The Docs function replaces it by the URL of the deployment. */
export const BASE_URL_MARK = "{{base_url}}";

/** A request with curl. What a shell must not read is quoted. */
export function curlSnippet(document: Json, operation: Operation): string {
  const { keyScopes, takesSession, needsCsrf } = access(operation);
  const body = requestBody(document, operation);
  const credential =
    keyScopes !== null
      ? [`-H "Authorization: Bearer $KEY"`]
      : takesSession
        ? [`-b "console_session=$SESSION"`, ...(needsCsrf ? [`-H "x-csrf-token: $CSRF_TOKEN"`] : [])]
        : [];
  const method = operation.method === "GET" || (operation.method === "POST" && body) ? "" : `-X ${operation.method} `;
  const value = exampleBody(document, operation);
  const isJson = body?.mediaType.includes("json") === true;
  const sent =
    value === undefined
      ? []
      : isJson
        ? [`-H "Content-Type: application/json"`, `-d ${shellQuote(indent(JSON.stringify(value, null, 2)))}`]
        : [`-d ${shellQuote(String(value))}`];
  const path = examplePath(document, operation, (name) => `$${name.replace(/([a-z])([A-Z])/g, "$1_$2").toUpperCase()}`);
  return [`curl -sS ${method}"${BASE_URL_MARK}${path}"`, ...credential, ...sent].join(" \\\n  ");
}

/** A call of the client. Null for what the client is not made for: pages, logins and what platforms call. */
export function clientSnippet(document: Json, operation: Operation): string | null {
  const { keyScopes, takesSession } = access(operation);
  if (!operation.path.startsWith("/v1/") && !(takesSession && operation.path.startsWith("/console/"))) return null;
  const path = parameters(document, operation).filter(({ place }) => place === "path");
  const body = exampleBody(document, operation);
  const options = [
    ...(path.length > 0 ? [`  path: { ${path.map(({ name }) => name).join(", ")} },`] : []),
    ...(body === undefined ? [] : [`  body: ${indent(toLiteral(body))},`]),
  ];
  const call = `"${operation.method} ${operation.path}"`;
  const credential = keyScopes === null && takesSession ? "" : ", apiKey: process.env.KEY";
  return [
    `import { Parley } from "@parley/client";`,
    "",
    `const parley = new Parley({ baseUrl: "${BASE_URL_MARK}"${credential} });`,
    options.length === 0
      ? `const data = await parley.request(${call});`
      : `const data = await parley.request(${call}, {\n${options.join("\n")}\n});`,
  ].join("\n");
}

/** The path of a recorded request, else with a variable for each parameter. */
function examplePath(document: Json, operation: Operation, variable: (name: string) => string): string {
  const recorded = exchanges(operation).find(({ response }) => response.status < 400)?.request.path;
  if (recorded !== undefined && /^\/(?!\/)[!#%&'()*+,./0-9:;=?@A-Z[\]_a-z~-]*$/.test(recorded)) return recorded;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => variable(name));
  const query = parameters(document, operation).filter(({ place, isRequired }) => place === "query" && isRequired);
  return query.length === 0 ? path : `${path}?${query.map(({ name }) => `${name}=${variable(name)}`).join("&")}`;
}

function shellQuote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

/** JSON as people write it in TypeScript. */
function toLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
}

function indent(literal: string): string {
  return literal.replaceAll("\n", "\n  ");
}
