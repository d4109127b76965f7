import { type Json, type Operation, resolve, strings } from "./document.ts";
import { parameters, recordedRequest } from "./requests.ts";
import { sample } from "./samples.ts";

/** What neither a shell nor curl reads in double quotes. */
const SAFE_PATH = /^\/(?!\/)[#%&'()*+,./0-9:;=?@A-Z_a-z~-]*$/;

/** The path of a recorded request, with its query. Null without one that can be shown. */
export function recordedPath(operation: Operation): string | null {
  const path = recordedRequest(operation)?.path;
  return path !== undefined && SAFE_PATH.test(path) ? path : null;
}

/** The path and query parameters of the request to show: those that were recorded, else the required ones. */
export function exampleParameters(document: Json, operation: Operation): Readonly<Record<"path" | "query", Json>> {
  const recorded = recordedPath(operation);
  const declared = parameters(document, operation);
  const values = recorded === null ? null : recordedValues(operation, recorded);
  const of = (place: "path" | "query") =>
    Object.fromEntries(
      declared
        .filter((parameter) => parameter.place === place)
        .filter(({ name, isRequired }) => (values ? values.has(`${place} ${name}`) : isRequired))
        .map(({ name, schema }) => {
          const text = values?.get(`${place} ${name}`);
          return [name, text === undefined ? sample(document, schema, name) : toValue(resolve(document, schema), text)];
        }),
    );
  return { path: of("path"), query: of("query") };
}

/** The texts of a recorded path, by the place and the name of their parameter. */
function recordedValues({ path }: Operation, recorded: string): ReadonlyMap<string, string> {
  const [pathname = "", query = ""] = recorded.split("?");
  const segments = pathname.split("/");
  return new Map([
    ...path.split("/").flatMap((part, i): [string, string][] => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      return name === undefined ? [] : [[`path ${name}`, decodeURIComponent(segments[i] ?? "")]];
    }),
    ...[...new URLSearchParams(query)].map(([name, text]): [string, string] => [`query ${name}`, text]),
  ]);
}

/** The value of a parameter as the client takes it: a boolean where only `true` and `false` are valid. */
function toValue(schema: Json, text: string): unknown {
  if (schema.type === "integer" || schema.type === "number") return Number(text);
  return strings(schema.enum).join() === "true,false" ? text === "true" : text;
}
