import type { ErrorObject } from "ajv/dist/2020.js";
import type { Schema } from "./document.ts";

/** What a value has that its schema does not declare. */
export function describeError({ instancePath, message = "", keyword, params }: ErrorObject, value: unknown): string {
  const at = instancePath === "" ? "" : `${instancePath} `;
  const field = params.additionalProperty ?? params.unevaluatedProperty;
  if (field !== undefined) return `${at}has the undeclared field ${field}`;
  // The document says of a boolean with one value that it is not the other one.
  if (keyword === "enum" || keyword === "const" || keyword === "not")
    return `${at}is ${JSON.stringify(valueAt(value, instancePath))}, which is not declared`;
  return `${at}${message}`;
}

function valueAt(value: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<Schema>((node, segment) => node?.[segment.replaceAll("~1", "/").replaceAll("~0", "~")], value);
}
