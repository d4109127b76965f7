import { expect, test } from "vitest";
import { env } from "#base/config/names.ts";
import { resolveReference, resourceProperties, resourcesOfType, synthesizeTemplates } from "../synth-templates.ts";
import { functionEnvironment } from "./support/function-environment.ts";

// The HTTP API and the WebSocket API: routes, throttles, permissions and URLs.

const { service } = synthesizeTemplates();

/** The resources of a type that belong to the API of a protocol. */
const ofApi = (protocol: "HTTP" | "WEBSOCKET", type: string, template = service) => {
  const apis = resourcesOfType(template, "AWS::ApiGatewayV2::Api");
  const [id] = apis.find(([, { Properties }]) => Properties.ProtocolType === protocol) ?? [];
  return resourcesOfType(template, type).filter(([, { Properties }]) => resolveReference(Properties.ApiId) === id);
};

test("the HTTP API routes the check page to Verify, the console's routes to Console, the platforms' logins to Connect, their webhooks to Intake, the console and the documentation to Web and everything else to Api", () => {
  const routes = ofApi("HTTP", "AWS::ApiGatewayV2::Route").map(([, { Properties }]) => {
    const [, [, integration]] = (Properties.Target as { "Fn::Join": [string, [string, unknown]] })["Fn::Join"];
    const { IntegrationUri, PayloadFormatVersion } = resourceProperties(service, resolveReference(integration));
    return [Properties.RouteKey, resolveReference(IntegrationUri), PayloadFormatVersion];
  });
  expect(routes.sort()).toEqual([
    ["$default", "Api", "2.0"],
    ["ANY /app", "Web", "2.0"],
    ["ANY /app/{proxy+}", "Web", "2.0"],
    ["ANY /console/auth/{proxy+}", "Console", "2.0"],
    ["ANY /console/{proxy+}", "Console", "2.0"],
    ["ANY /docs", "Web", "2.0"],
    ["ANY /docs.md", "Web", "2.0"],
    ["ANY /docs/{proxy+}", "Web", "2.0"],
    ["ANY /llms-full.txt", "Web", "2.0"],
    ["ANY /llms.txt", "Web", "2.0"],
    ["ANY /oauth/{proxy+}", "Connect", "2.0"],
    ["ANY /openapi.json", "Web", "2.0"],
    ["ANY /platform/{proxy+}", "Connect", "2.0"],
    ["ANY /verify", "Verify", "2.0"],
    ["ANY /verify/{proxy+}", "Verify", "2.0"],
    ["ANY /webhooks/{platform}", "Intake", "2.0"],
  ]);
});

test("the HTTP API lets the gateways invoke those six functions and Socket and the schedules invoke Sweep, and nothing else", () => {
  const permitted = resourcesOfType(service, "AWS::Lambda::Permission").map(([, { Properties }]) => [
    Properties.Principal,
    resolveReference(Properties.FunctionName),
    Properties.SourceArn !== undefined,
  ]);
  expect(permitted.sort()).toEqual([
    ["apigateway.amazonaws.com", "Api", true],
    ["apigateway.amazonaws.com", "Connect", true],
    ["apigateway.amazonaws.com", "Connect", true],
    ["apigateway.amazonaws.com", "Console", true],
    ["apigateway.amazonaws.com", "Console", true],
    ["apigateway.amazonaws.com", "Intake", true],
    ["apigateway.amazonaws.com", "Socket", true],
    ["apigateway.amazonaws.com", "Socket", true],
    ["apigateway.amazonaws.com", "Socket", true],
    ["apigateway.amazonaws.com", "Verify", true],
    ["apigateway.amazonaws.com", "Verify", true],
    ["apigateway.amazonaws.com", "Web", true],
    ["apigateway.amazonaws.com", "Web", true],
    ["apigateway.amazonaws.com", "Web", true],
    ["apigateway.amazonaws.com", "Web", true],
    ["apigateway.amazonaws.com", "Web", true],
    ["apigateway.amazonaws.com", "Web", true],
    ["apigateway.amazonaws.com", "Web", true],
    ["apigateway.amazonaws.com", "Web", true],
    ["events.amazonaws.com", "Sweep", true],
    ["events.amazonaws.com", "Sweep", true],
    ["events.amazonaws.com", "Sweep", true],
    ["events.amazonaws.com", "Sweep", true],
    ["events.amazonaws.com", "Sweep", true],
  ]);
});

test("the access log has exactly these fields: no path, query, header or body, which may have a credential", () => {
  const logs = ofApi("HTTP", "AWS::ApiGatewayV2::Stage").map(
    ([, { Properties }]) => Properties.AccessLogSettings as { Format: string; DestinationArn: unknown },
  );
  expect(logs).toHaveLength(1);
  const [{ Format, DestinationArn } = { Format: "", DestinationArn: null }] = logs;
  expect(JSON.parse(Format)).toEqual({
    time: "$context.requestTime",
    request_id: "$context.requestId",
    ip: "$context.identity.sourceIp",
    method: "$context.httpMethod",
    route: "$context.routeKey",
    status: "$context.status",
    function_status: "$context.integration.status",
    function_error: "$context.integrationErrorMessage",
    response_bytes: "$context.responseLength",
    duration_ms: "$context.responseLatency",
  });
  expect(resourceProperties(service, resolveReference(DestinationArn)).RetentionInDays).toBe(14);
  expect(service.Resources[resolveReference(DestinationArn)]?.DeletionPolicy).toBe("Delete");
});

test("the WebSocket API has no access log, because the query of a handshake is a credential", () => {
  const stages = ofApi("WEBSOCKET", "AWS::ApiGatewayV2::Stage");
  expect(stages.map(([, { Properties }]) => Properties.AccessLogSettings)).toEqual([undefined]);
});

const throttle = (rate: number, burst: number) => ({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst });

const stageThrottles = (template: typeof service) =>
  ofApi("HTTP", "AWS::ApiGatewayV2::Stage", template).map(([, { Properties }]) => [
    Properties.StageName,
    Properties.AutoDeploy,
    Properties.DefaultRouteSettings,
    Properties.RouteSettings,
  ]);

test("the HTTP API has one stage, on which webhooks, sign-in, check page and the rest each have a throttle of their own", () => {
  expect(stageThrottles(service)).toEqual([
    [
      "$default",
      true,
      throttle(200, 500),
      {
        "ANY /webhooks/{platform}": throttle(500, 1_000),
        "ANY /console/auth/{proxy+}": throttle(50, 100),
        "ANY /verify": throttle(50, 100),
        "ANY /verify/{proxy+}": throttle(50, 100),
      },
    ],
  ]);
});

test("the HTTP API takes each throttle from the operator", () => {
  const set = synthesizeTemplates({
    "parley:throttleRate": "1",
    "parley:throttleBurst": "2",
    "parley:webhooksThrottleRate": "3",
    "parley:webhooksThrottleBurst": "4",
    "parley:signInThrottleRate": "5",
    "parley:signInThrottleBurst": "6",
    "parley:checkPageThrottleRate": "7",
    "parley:checkPageThrottleBurst": "8",
  }).service;
  expect(stageThrottles(set)).toEqual([
    [
      "$default",
      true,
      throttle(1, 2),
      {
        "ANY /webhooks/{platform}": throttle(3, 4),
        "ANY /console/auth/{proxy+}": throttle(5, 6),
        "ANY /verify": throttle(7, 8),
        "ANY /verify/{proxy+}": throttle(7, 8),
      },
    ],
  ]);
});

test("the HTTP API creates the stage after each route that it throttles, which CloudFormation requires", () => {
  const routeIds = new Map(
    ofApi("HTTP", "AWS::ApiGatewayV2::Route").map(([id, { Properties }]) => [Properties.RouteKey, id]),
  );
  const [[, stage] = []] = ofApi("HTTP", "AWS::ApiGatewayV2::Stage");
  const throttledKeys = Object.keys(stage?.Properties.RouteSettings as object);
  expect(throttledKeys).toHaveLength(4);
  for (const key of throttledKeys) expect(stage?.DependsOn).toContain(routeIds.get(key));
});

test("the HTTP API passes its URL to the operator and to Api, which returns links", () => {
  expect(service.Outputs.ApiUrl?.Value).toEqual(functionEnvironment("Api")[env.baseUrl]);
  // Unless it is set, the console has the origin of the API.
  expect(functionEnvironment("Api")[env.consoleUrl]).toEqual(functionEnvironment("Api")[env.baseUrl]);
});

test("the WebSocket API routes handshakes, frames and ends of connections to Socket, and nothing else", () => {
  const routes = ofApi("WEBSOCKET", "AWS::ApiGatewayV2::Route").map(([, { Properties }]) => {
    const [, [, integration]] = (Properties.Target as { "Fn::Join": [string, [string, unknown]] })["Fn::Join"];
    const { IntegrationType, IntegrationUri } = resourceProperties(service, resolveReference(integration));
    const [, parts] = (IntegrationUri as { "Fn::Join": [string, unknown[]] })["Fn::Join"];
    const [target] = parts.filter((part) => typeof part === "object" && part !== null && "Fn::GetAtt" in part);
    return [Properties.RouteKey, IntegrationType, resolveReference(target), Properties.AuthorizationType];
  });
  expect(routes.sort()).toEqual([
    ["$connect", "AWS_PROXY", "Socket", "NONE"],
    ["$default", "AWS_PROXY", "Socket", "NONE"],
    ["$disconnect", "AWS_PROXY", "Socket", "NONE"],
  ]);
});

test("the WebSocket API has one stage, throttled as the operator sets", () => {
  const set = synthesizeTemplates({ "parley:throttleRate": "10", "parley:throttleBurst": "20" }).service;
  const stages = ofApi("WEBSOCKET", "AWS::ApiGatewayV2::Stage", set).map(([, { Properties }]) => [
    Properties.StageName,
    Properties.AutoDeploy,
    Properties.DefaultRouteSettings,
  ]);
  expect(stages).toEqual([["live", true, { ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 }]]);
});

test("the WebSocket API writes no log of requests, whose query has the ticket", () => {
  for (const [, { Properties }] of ofApi("WEBSOCKET", "AWS::ApiGatewayV2::Stage")) {
    expect(Properties).not.toHaveProperty("AccessLogSettings");
    expect(Object.keys(Properties.DefaultRouteSettings as object).sort()).toEqual([
      "ThrottlingBurstLimit",
      "ThrottlingRateLimit",
    ]);
  }
});

test("the WebSocket API passes its URL to the operator and to the functions that create tickets, and another if one is set", () => {
  expect(service.Outputs.RealtimeUrl?.Value).toEqual(functionEnvironment("Api")[env.realtimeUrl]);
  const set = synthesizeTemplates({ "parley:realtimeUrl": "wss://ws.example.com/live/" }).service;
  for (const name of ["Api", "Console"] as const) {
    expect(functionEnvironment(name)[env.realtimeUrl]).toEqual(service.Outputs.RealtimeUrl?.Value);
    expect(functionEnvironment(name, set)[env.realtimeUrl]).toBe("wss://ws.example.com/live");
  }
  // Functions call the gateway itself, under any domain.
  for (const name of ["Socket", "Push"] as const) {
    expect(functionEnvironment(name, set)[env.realtimeEndpoint]).toEqual(
      functionEnvironment(name)[env.realtimeEndpoint],
    );
  }
});
