import { BASE_URL_MARK } from "../text/base-url.ts";
import type { Json, Operation } from "./document.ts";
import { exampleParameters } from "./example-path.ts";
import { access, exampleBody } from "./requests.ts";

/** A request with Python and `requests`. Null for what takes no API key. */
export function pythonSnippet(document: Json, operation: Operation): string | null {
  if (!operation.path.startsWith("/v1/") || access(operation).keyScopes === null) return null;
  const { path, query } = exampleParameters(document, operation);
  const body = exampleBody(document, operation);
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const parts = [
    `"${BASE_URL_MARK}${filled}"`,
    `headers={"Authorization": f"Bearer {os.environ['KEY']}"}`,
    ...(Object.keys(query).length === 0 ? [] : [`params=${literal(queryTexts(query))}`]),
    ...(body === undefined ? [] : [`json=${literal(body)}`]),
    "timeout=30",
  ];
  return [
    "import os",
    "",
    "import requests",
    "",
    `response = requests.${operation.method.toLowerCase()}(`,
    ...parts.map((part) => `    ${part.replaceAll("\n", "\n    ")},`),
    ")",
    "response.raise_for_status()",
    `data = response.json()["data"]`,
  ].join("\n");
}

/** `requests` would send `True` for a boolean. */
function queryTexts(query: Json): Json {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, typeof value === "boolean" ? String(value) : value]),
  );
}

/** JSON as Python writes it. */
function literal(value: unknown, indent = ""): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}    `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${literal(item, inner)}`);
  const line = `${open}${items.join(", ")}${close}`;
  if (line.length <= 60 && !line.includes("\n")) return line;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close}`;
}
