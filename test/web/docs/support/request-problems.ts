import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { closeSchema } from "../../../support/conformance/closed-schemas.ts";
import { dereference, readServedDocument, type Schema } from "../../../support/conformance/document.ts";
import { operationFinder } from "../../../support/conformance/operations.ts";
import type { CurlRequest } from "./curl-arguments.ts";
import { BASE_URL } from "./rendered-snippets.ts";

/** What a reader sets before. */
export const variables = { KEY: "svc_live_1", SESSION: "session-1", CSRF_TOKEN: "csrf-1", PAGE: "docs.css" };

const document = readServedDocument();
const find = operationFinder(document);
const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes: true });
const strictAjv = new Ajv2020({ strict: false, allErrors: true });
for (const one of [ajv, strictAjv]) addFormats.default(one);

function errorsOf(validate: ValidateFunction, value: unknown): string[] {
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/**
 * What the document does not declare of a request.
 * @param id the operation that it must be of, if there is one
 */
export function requestProblems({ method, url, headers, body }: CurlRequest, id: string | null): string[] {
  const { origin, pathname, searchParams } = new URL(url);
  if (origin !== BASE_URL) return [`${url} is elsewhere`];
  const route = find(method, pathname);
  if (route.found !== "operation") return [`${method} ${pathname} has no ${route.found}`];
  const { operation, path } = route;
  if (id !== null && operation.operationId !== id) return [`is a request of ${operation.operationId}`];
  const parameters = (operation.parameters ?? []).map((parameter) => dereference(document, parameter));
  const segments = pathname.split("/");
  const sent = new Map([
    ...path
      .split("/")
      .map((part, i): [string, string] => [`path ${part.slice(1, -1)}`, decodeURIComponent(segments[i] ?? "")]),
    ...[...searchParams].map(([name, value]): [string, string] => [`query ${name}`, value]),
    ...[...headers].map(([name, value]): [string, string] => [`header ${name}`, value]),
  ]);
  const declared = parameters.map((parameter) => ({
    ...parameter,
    key: `${parameter.in} ${parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name}`,
  }));
  const undeclared = [...searchParams.keys()].filter((name) => !declared.some(({ key }) => key === `query ${name}`));
  return [
    ...undeclared.map((name) => `the query parameter ${name} is not declared`),
    ...declared.flatMap(({ key, required, schema }) => {
      const value = sent.get(key);
      if (value === undefined) return required ? [`${key} is missing`] : [];
      return errorsOf(ajv.compile(closeSchema(document, schema)), value).map((error) => `${key}: ${error}`);
    }),
    ...bodyProblems(operation.requestBody && dereference(document, operation.requestBody), headers, body),
    ...credentialProblems((operation as Schema).security, headers),
    ...[...headers.keys()]
      .filter((name) => !["authorization", "cookie", "x-csrf-token", "content-type"].includes(name))
      .filter((name) => !declared.some(({ key }) => key === `header ${name}`))
      .map((name) => `the header ${name} is not declared`),
  ];
}

function bodyProblems(declared: Schema | undefined, headers: Headers, body: string | null): string[] {
  if (body === null) return declared?.required ? ["the body is missing"] : [];
  if (!declared) return ["the operation takes no body"];
  const type = headers.get("content-type") ?? "";
  const media = declared.content[type];
  if (!media) return [`the body is ${type}`];
  if (type !== "application/json") {
    const fields = Object.fromEntries(new URLSearchParams(body));
    return errorsOf(ajv.compile(closeSchema(document, media.schema)), fields).map((error) => `body: ${error}`);
  }
  return errorsOf(strictAjv.compile(closeSchema(document, media.schema)), JSON.parse(body)).map(
    (error) => `body: ${error}`,
  );
}

/** A request has all credentials of one way to call the operation, and no other. */
function credentialProblems(security: readonly Schema[], headers: Headers): string[] {
  const schemes: Schema = (document as Schema).components.securitySchemes;
  const sent = Object.entries<Schema>(schemes).filter(([, scheme]) => {
    if (scheme.type === "http") return headers.get("authorization") === `Bearer ${variables.KEY}`;
    if (scheme.in === "cookie") return headers.get("cookie") === `${scheme.name}=${variables.SESSION}`;
    return headers.get(scheme.name) === variables.CSRF_TOKEN;
  });
  const names = sent.map(([name]) => name).join();
  const ways = security.length === 0 ? [""] : security.map((way) => Object.keys(way).join());
  const all = ["authorization", "cookie", "x-csrf-token"].filter((name) => headers.has(name));
  return ways.includes(names) && all.length === sent.length
    ? []
    : [`the credentials are [${names}] of [${ways.join("; ")}]`];
}
