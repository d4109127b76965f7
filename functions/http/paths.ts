/** Declared paths: `/v1/things/{id}`. */

interface Route {
  readonly method: string;
  readonly path: string;
}

/** The path in the router's spelling: `/v1/things/:id`. */
export function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Literal segments before parameters, so that a route is never shadowed by one declared earlier. */
export function bySpecificity(a: Route, b: Route): number {
  return specificity(a.path) < specificity(b.path) ? -1 : specificity(a.path) > specificity(b.path) ? 1 : 0;
}

function specificity(path: string): string {
  return path
    .split("/")
    .map((segment) => (segment.startsWith("{") ? "1" : "0"))
    .join("");
}

/** The methods that some route takes at this path, sorted, with HEAD beside GET; empty when there is nothing here. */
export function allowedMethods(endpoints: readonly Route[], path: string): string[] {
  const segments = path.split("/");
  const methods = new Set<string>();
  for (const endpoint of endpoints) {
    if (!matches(endpoint.path.split("/"), segments)) continue;
    methods.add(endpoint.method);
    if (endpoint.method === "GET") methods.add("HEAD");
  }
  return [...methods].sort();
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, i) => (part.startsWith("{") ? segments[i] !== "" : part === segments[i]))
  );
}
