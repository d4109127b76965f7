import { LocalRefusal } from "../support/local-refusal.ts";
import { type Assembly, describeResource, listResources, type StackResource } from "../template/template.ts";

const protocols = ["HTTP", "WEBSOCKET"] as const;
type Protocol = (typeof protocols)[number];

/** The API of a protocol. Throws a LocalRefusal for a second one, and for an API of any other protocol. */
export function findApi(assembly: Assembly, protocol: Protocol): StackResource | undefined {
  const apis = listResources(assembly).filter(({ resource }) => resource.Type === "AWS::ApiGatewayV2::Api");
  const protocolOf = ({ resource }: StackResource) => resource.Properties?.ProtocolType;
  const ofProtocol = apis.filter((api) => protocolOf(api) === protocol);
  const unsupported = apis.find((api) => !protocols.some((one) => one === protocolOf(api))) ?? ofProtocol[1];
  if (unsupported) {
    const served = "one HTTP API and one WebSocket API";
    throw new LocalRefusal(`The local stack serves ${served} and cannot serve ${describeResource(unsupported)}.`);
  }
  return ofProtocol[0];
}

export function listRoutes(assembly: Assembly, api: StackResource): StackResource[] {
  return listResources(assembly).filter(
    ({ stack, resource }) =>
      resource.Type === "AWS::ApiGatewayV2::Route" &&
      stack === api.stack &&
      (resource.Properties?.ApiId as { Ref?: string } | undefined)?.Ref === api.id,
  );
}

/** `Target` is `integrations/` joined to a Ref of the integration. */
export function findIntegration(route: StackResource, assembly: Assembly): StackResource | undefined {
  const ref = /"Ref":"([^"]+)"/.exec(JSON.stringify(route.resource.Properties?.Target ?? null))?.[1];
  return listResources(assembly).find(
    ({ stack, id, resource }) =>
      stack === route.stack && id === ref && resource.Type === "AWS::ApiGatewayV2::Integration",
  );
}
