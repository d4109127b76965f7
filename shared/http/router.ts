/** What of a route decides which requests are its own. */
export interface Route {
  readonly method: string;
  /** `/v1/things/{id}` */
  readonly path: string;
  /** Whether the parameter at its end may contain `/`. */
  readonly slashInId?: boolean;
}

export interface Router<R extends Route> {
  /** The routes of a path, with any method. @param path percent-encoded */
  matching(path: string): R[];
  /** The route of a request with its parameters, each decoded once; null for none. A GET route answers HEAD. */
  find(method: string, path: string): { readonly route: R; readonly parameters: Record<string, string> } | null;
}

/** Finds the routes of requests. A literal segment goes before a parameter, regardless of the order of the routes. */
export function createRouter<R extends Route>(routes: readonly R[]): Router<R> {
  const patterns = [...routes].sort(bySpecificity).map((route) => ({ route, parts: route.path.split("/") }));
  const matching = (path: string) => {
    const segments = path.split("/");
    return patterns.filter(({ route, parts }) => matches(parts, segments, route.slashInId === true));
  };
  return {
    matching: (path) => matching(path).map(({ route }) => route),
    find(method, path) {
      const routeMethod = method === "HEAD" ? "GET" : method;
      const match = matching(path).find(({ route }) => route.method === routeMethod);
      return match ? { route: match.route, parameters: readParameters(match.parts, path.split("/")) } : null;
    },
  };
}

/** The methods of the routes at one path, sorted, with HEAD beside GET. */
export function allowedMethods(routes: readonly Route[]): string[] {
  return [...new Set(routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])))].sort();
}

const isParameter = (part: string): boolean => part.startsWith("{");

function bySpecificity(a: Route, b: Route): number {
  const [first, second] = [specificity(a.path), specificity(b.path)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function specificity(path: string): string {
  return path
    .split("/")
    .map((segment) => (isParameter(segment) ? "1" : "0"))
    .join("");
}

function matches(parts: readonly string[], segments: readonly string[], slashInId: boolean): boolean {
  const hasRest = slashInId && parts.length < segments.length;
  if (parts.length !== segments.length && !hasRest) return false;
  return parts.every((part, i) => {
    if (!isParameter(part)) return part === segments[i];
    // An id that starts with `/` has an empty segment before it.
    return segments[i] !== "" || (hasRest && i === parts.length - 1);
  });
}

/** The last parameter has the rest of the path. */
function readParameters(parts: readonly string[], segments: readonly string[]): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const text = i === parts.length - 1 ? segments.slice(i).join("/") : (segments[i] ?? "");
    if (isParameter(part)) parameters[part.slice(1, -1)] = decode(text);
  }
  return parameters;
}

/** Decodes what is validly encoded, and leaves the rest as it was sent. */
function decode(text: string): string {
  return tryDecode(text) ?? text.replace(/(?:%[\da-f]{2})+/gi, (encoded) => tryDecode(encoded) ?? encoded);
}

function tryDecode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
