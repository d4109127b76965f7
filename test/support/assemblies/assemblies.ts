import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Resource } from "#local-aws/template/template.ts";

export type TemplateResources = Record<string, Resource>;

/** A folder that is removed after the test. */
export function newTempFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "parley-local-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Writes an assembly of one stack, `Planted`, with the given resources and a bundle for each given handler source. */
export function writeAssembly(
  folder: string,
  resources: TemplateResources,
  bundles: Record<string, string> = {},
): string {
  const assembly = join(folder, "assembly");
  mkdirSync(assembly, { recursive: true });
  writeFileSync(join(assembly, "Planted.template.json"), JSON.stringify({ Resources: resources }));
  for (const [name, source] of Object.entries(bundles)) {
    mkdirSync(join(assembly, `asset.${name}`), { recursive: true });
    writeFileSync(join(assembly, `asset.${name}`, "index.mjs"), source);
  }
  return assembly;
}

/** A function whose bundle is written under `name`. */
export function lambdaResource(name: string, properties: Record<string, unknown> = {}): Resource {
  return {
    Type: "AWS::Lambda::Function",
    Properties: {
      Code: { S3Bucket: "assets", S3Key: `${name}.zip` },
      Handler: "index.handler",
      Runtime: "nodejs24.x",
      Timeout: 5,
      ...properties,
    },
  };
}

export function queueResource(properties: Record<string, unknown> = {}): Resource {
  return { Type: "AWS::SQS::Queue", Properties: properties };
}

export function eventSourceMapping(
  functionId: string,
  queueId: string,
  properties: Record<string, unknown> = {},
): Resource {
  return {
    Type: "AWS::Lambda::EventSourceMapping",
    Properties: {
      FunctionName: { Ref: functionId },
      EventSourceArn: { "Fn::GetAtt": [queueId, "Arn"] },
      ...properties,
    },
  };
}

/** An HTTP API whose routes, by route key, invoke functions. */
export function httpApiResources(routes: Record<string, string>): TemplateResources {
  const resources: TemplateResources = {
    Gateway: { Type: "AWS::ApiGatewayV2::Api", Properties: { ProtocolType: "HTTP" } },
  };
  for (const [index, [key, functionId]] of Object.entries(routes).entries()) {
    resources[`Integration${index}`] = {
      Type: "AWS::ApiGatewayV2::Integration",
      Properties: {
        ApiId: { Ref: "Gateway" },
        IntegrationType: "AWS_PROXY",
        IntegrationUri: { "Fn::GetAtt": [functionId, "Arn"] },
        PayloadFormatVersion: "2.0",
      },
    };
    resources[`Route${index}`] = {
      Type: "AWS::ApiGatewayV2::Route",
      Properties: {
        ApiId: { Ref: "Gateway" },
        RouteKey: key,
        Target: { "Fn::Join": ["", ["integrations/", { Ref: `Integration${index}` }]] },
      },
    };
  }
  return resources;
}

/** A WebSocket API with the stage `live`, whose routes, by route key, invoke functions. */
export function socketApiResources(routes: Record<string, string>): TemplateResources {
  const ApiId = { Ref: "Sockets" };
  const resources: TemplateResources = {
    Sockets: { Type: "AWS::ApiGatewayV2::Api", Properties: { ProtocolType: "WEBSOCKET" } },
    Live: { Type: "AWS::ApiGatewayV2::Stage", Properties: { ApiId, StageName: "live" } },
  };
  for (const [key, functionId] of Object.entries(routes)) {
    const name = key.slice(1);
    const uri = [
      "arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/",
      { "Fn::GetAtt": [functionId, "Arn"] },
      "/invocations",
    ];
    resources[`SocketIntegration${name}`] = {
      Type: "AWS::ApiGatewayV2::Integration",
      Properties: { ApiId, IntegrationType: "AWS_PROXY", IntegrationUri: { "Fn::Join": ["", uri] } },
    };
    resources[`SocketRoute${name}`] = {
      Type: "AWS::ApiGatewayV2::Route",
      Properties: {
        ApiId,
        RouteKey: key,
        Target: { "Fn::Join": ["", ["integrations/", { Ref: `SocketIntegration${name}` }]] },
      },
    };
  }
  return resources;
}
