import type { ApiDocument, DocumentedOperation } from "./document.ts";

/** What a request addresses: an operation, a path without its method, or no path. */
export type Route =
  | {
      readonly found: "operation";
      readonly path: string;
      readonly method: string;
      readonly operation: DocumentedOperation;
      /** The last parameter has a slash. Not each route takes one. */
      readonly isLonger: boolean;
    }
  | { readonly found: "path" | "nothing" };

/** Finds operations as the router does: a literal segment wins over a parameter. HEAD is a GET. */
export function operationFinder({ paths }: ApiDocument): (method: string, path: string) => Route {
  const templates = Object.keys(paths)
    .map((path) => ({ path, segments: path.split("/") }))
    .sort((a, b) => (specificity(a.segments) < specificity(b.segments) ? -1 : 1));
  return (method, path) => {
    const name = method === "HEAD" ? "get" : method.toLowerCase();
    const segments = path.split("/");
    const exact = templates.filter((template) => matches(template.segments, segments));
    // The ids of the platforms may contain a slash, at the end of a path.
    const candidates =
      exact.length > 0 ? exact : templates.filter((template) => startsLike(template.segments, segments));
    for (const template of candidates) {
      const operation = paths[template.path]?.[name];
      if (operation)
        return { found: "operation", path: template.path, method: name, operation, isLonger: exact.length === 0 };
    }
    return { found: exact.length > 0 ? "path" : "nothing" };
  };
}

function specificity(segments: readonly string[]): string {
  return segments.map((segment) => (isParameter(segment) ? "1" : "0")).join("");
}

function isParameter(segment: string | undefined): boolean {
  return segment?.startsWith("{") ?? false;
}

function matches(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, at) => (isParameter(part) ? segments[at] !== "" : part === segments[at]))
  );
}

function startsLike(template: readonly string[], segments: readonly string[]): boolean {
  return (
    isParameter(template.at(-1)) &&
    matches(template, segments.slice(0, template.length)) &&
    segments.length > template.length
  );
}
