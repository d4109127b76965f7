import type { FunctionDeclaration } from "../lambda/functions.ts";
import { LocalRefusal } from "../support/local-refusal.ts";
import type { Resolver } from "../template/intrinsics.ts";
import { type Assembly, describeResource, type StackResource } from "../template/template.ts";
import { findApi, findIntegration, listRoutes } from "./apis.ts";

/** A route of the HTTP API. */
export interface Route {
  /** As the template writes it: `GET /things/{id}`, `ANY /{proxy+}` or `$default`. */
  readonly key: string;
  readonly functionId: string;
  readonly timeoutMs: number;
}

export interface RouteMatch {
  readonly route: Route;
  /** Decoded. Undefined if the route has no parameters. */
  readonly parameters: Readonly<Record<string, string>> | undefined;
}

/** Maximum and default integration timeout of an HTTP API. */
const TIMEOUT_MAX_MS = 30_000;

/** Reads the routes of the assembly's HTTP API. Throws a LocalRefusal for a route without a function. */
export function readRoutes(assembly: Assembly, resolver: Resolver, functions: readonly FunctionDeclaration[]): Route[] {
  const api = findApi(assembly, "HTTP");
  const routes = api ? listRoutes(assembly, api) : [];
  return routes.map((route) => readRoute(route, assembly, resolver, functions));
}

function readRoute(
  route: StackResource,
  assembly: Assembly,
  resolver: Resolver,
  functions: readonly FunctionDeclaration[],
): Route {
  const key = String(route.resource.Properties?.RouteKey);
  if (key !== "$default" && !/^[A-Z]+ \//.test(key))
    throw new LocalRefusal(`${describeResource(route)} has an odd key: ${key}.`);
  const integration = findIntegration(route, assembly);
  const { IntegrationType, IntegrationUri, PayloadFormatVersion, TimeoutInMillis } =
    integration?.resource.Properties ?? {};
  if (!integration || IntegrationType !== "AWS_PROXY" || PayloadFormatVersion !== "2.0") {
    throw new LocalRefusal(
      `The route ${key} (${describeResource(route)}) targets no function with payload format 2.0.`,
    );
  }
  const arn = resolver.text(integration.stack, IntegrationUri);
  const target = functions.find((one) => one.arn === arn);
  if (!target) throw new LocalRefusal(`The route ${key} targets ${arn}, which is not a function of the template.`);
  const timeoutMs = Math.min(TIMEOUT_MAX_MS, Number(TimeoutInMillis ?? TIMEOUT_MAX_MS));
  return { key, functionId: target.stackResource.id, timeoutMs };
}

/**
 * The route for a request: the most specific one, a fixed part before a variable, a variable before the rest of the
 * path, a method before ANY, and `$default` last. `rawSegments` are the path's parts as they were sent.
 */
export function matchRoute(routes: readonly Route[], method: string, rawPath: string): RouteMatch | null {
  const segments = rawPath.split("/").slice(1);
  const matches = routes.flatMap((route) => matchOne(route, method, segments) ?? []);
  matches.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0));
  return matches[0] ?? null;
}

function matchOne(route: Route, method: string, segments: readonly string[]): (RouteMatch & { rank: string }) | null {
  if (route.key === "$default") return { route, parameters: undefined, rank: "9" };
  const [routeMethod = "", path = ""] = route.key.split(" ");
  if (routeMethod !== "ANY" && routeMethod !== method) return null;
  const parameters: Record<string, string> = {};
  const pattern = path.split("/").slice(1);
  let rank = "";
  for (const [at, part] of pattern.entries()) {
    const segment = segments[at];
    const [, name, rest] = /^\{([^}+]+)(\+?)\}$/.exec(part) ?? [];
    if (segment === undefined || (name !== undefined && segment === "")) return null;
    rank += name === undefined ? "0" : rest ? "2" : "1";
    if (name === undefined) {
      if (segment !== part) return null;
    } else if (rest) {
      parameters[name] = decodeURIComponent(segments.slice(at).join("/"));
      return { route, parameters, rank: rank + (routeMethod === "ANY" ? "1" : "0") };
    } else parameters[name] = decodeURIComponent(segment);
  }
  if (pattern.length !== segments.length) return null;
  const hasParameters = Object.keys(parameters).length > 0;
  return {
    route,
    parameters: hasParameters ? parameters : undefined,
    rank: rank + (routeMethod === "ANY" ? "1" : "0"),
  };
}
