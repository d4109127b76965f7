import { findApi, findIntegration, listRoutes } from "../gateway/apis.ts";
import type { FunctionDeclaration } from "../lambda/functions.ts";
import { LocalRefusal } from "../support/local-refusal.ts";
import type { Resolver } from "../template/intrinsics.ts";
import { type Assembly, describeResource, listResources, type StackResource } from "../template/template.ts";

/** The function behind a route of the WebSocket API. */
export interface SocketRoute {
  readonly functionId: string;
  readonly timeoutMs: number;
}

const routeKeys = ["$connect", "$disconnect", "$default"] as const;
export type SocketRouteKey = (typeof routeKeys)[number];

/** The WebSocket API of the template. */
export interface SocketApi {
  /** Its id in ARNs. */
  readonly id: string;
  /** The path of its URL, without slashes. */
  readonly stage: string;
  readonly routes: Readonly<Record<SocketRouteKey, SocketRoute>>;
}

/** Maximum and default integration timeout of a WebSocket API. */
const TIMEOUT_MAX_MS = 29_000;

/** Reads the WebSocket API. Null if the template has none. Throws a LocalRefusal for one that works in another way. */
export function readSocketApi(
  assembly: Assembly,
  resolver: Resolver,
  functions: readonly FunctionDeclaration[],
): SocketApi | null {
  const api = findApi(assembly, "WEBSOCKET");
  if (!api) return null;
  const routes = listRoutes(assembly, api);
  const unsupported = routes.find((route) => !routeKeys.some((key) => key === routeKey(route)));
  if (unsupported) {
    throw new LocalRefusal(
      `The local stack serves ${routeKeys.join(", ")} of a WebSocket API, and not ${describeResource(unsupported)}.`,
    );
  }
  const readRoute = (key: SocketRouteKey): SocketRoute => {
    const route = routes.find((one) => routeKey(one) === key);
    const integration = route && findIntegration(route, assembly);
    const { IntegrationType, IntegrationUri, TimeoutInMillis } = integration?.resource.Properties ?? {};
    if (!integration || IntegrationType !== "AWS_PROXY") {
      throw new LocalRefusal(`The route ${key} of ${describeResource(api)} targets no function.`);
    }
    const uri = resolver.text(integration.stack, IntegrationUri);
    const target = functions.find(({ arn }) => uri.endsWith(`/functions/${arn}/invocations`));
    if (!target) throw new LocalRefusal(`The route ${key} targets ${uri}, which is not a function of the template.`);
    return {
      functionId: target.stackResource.id,
      timeoutMs: Math.min(TIMEOUT_MAX_MS, Number(TimeoutInMillis ?? TIMEOUT_MAX_MS)),
    };
  };
  return {
    id: api.id,
    stage: readStage(assembly, api),
    routes: { $connect: readRoute("$connect"), $disconnect: readRoute("$disconnect"), $default: readRoute("$default") },
  };
}

function routeKey({ resource }: StackResource): unknown {
  return resource.Properties?.RouteKey;
}

function readStage(assembly: Assembly, api: StackResource): string {
  const stages = listResources(assembly).filter(
    ({ stack, resource }) =>
      resource.Type === "AWS::ApiGatewayV2::Stage" &&
      stack === api.stack &&
      (resource.Properties?.ApiId as { Ref?: string } | undefined)?.Ref === api.id,
  );
  const name = stages[0]?.resource.Properties?.StageName;
  if (stages.length === 1 && typeof name === "string") return name;
  throw new LocalRefusal(`The local stack serves one stage of ${describeResource(api)}, and it has ${stages.length}.`);
}
