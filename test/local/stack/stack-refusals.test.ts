import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";
import { startStack } from "../../../local/stack/stack.ts";
import {
  eventSourceMapping,
  httpApiResources,
  lambdaResource,
  newTempFolder,
  queueResource,
  socketApiResources,
  type TemplateResources,
  writeAssembly,
} from "../../support/assemblies/assemblies.ts";
import { assemblySettings } from "../assembly-settings.ts";

const bundles = { fine: "export const handler = async () => ({ statusCode: 200 });" };
const worker = { Worker: lambdaResource("fine") };
const target = { Id: "T", Arn: { "Fn::GetAtt": ["Worker", "Arn"] } };
const rule = (properties: Record<string, unknown>): TemplateResources => ({
  ...worker,
  Rule: {
    Type: "AWS::Events::Rule",
    Properties: { ScheduleExpression: "rate(1 minute)", Targets: [target], ...properties },
  },
});
/** An API of one route, with properties of one of its resources changed. */
const api = (id: string, properties: Record<string, unknown>): TemplateResources => {
  const all: TemplateResources = { ...worker, ...httpApiResources({ "GET /x": "Worker" }) };
  const changed = all[id];
  if (!changed) throw new Error(`no ${id}`);
  return { ...all, [id]: { ...changed, Properties: { ...changed.Properties, ...properties } } };
};

/** A WebSocket API, with properties of some of its resources changed. */
const sockets = (changes: Readonly<Record<string, Record<string, unknown>>>): TemplateResources => {
  const all: TemplateResources = {
    ...worker,
    ...socketApiResources({ $connect: "Worker", $disconnect: "Worker", $default: "Worker" }),
  };
  for (const [id, properties] of Object.entries(changes)) Object.assign(all[id]?.Properties ?? {}, properties);
  return all;
};

const refusedTemplates: [string, TemplateResources, RegExp][] = [
  [
    "an event source of a queue that is not there",
    { ...worker, Source: eventSourceMapping("Worker", "Ghost") },
    /GetAtt Ghost\.Arn names nothing in the template/,
  ],
  [
    "an event source that is not a queue",
    { ...worker, Raw: { Type: "AWS::S3::Bucket" }, Source: eventSourceMapping("Worker", "Raw") },
    /Planted\/Source .* not a queue/,
  ],
  [
    "an event source of a function that is not there",
    { Work: queueResource(), Source: eventSourceMapping("Ghost", "Work") },
    /Ref Ghost/,
  ],
  [
    "an event source that is filtered",
    { ...worker, Work: queueResource(), Source: eventSourceMapping("Worker", "Work", { FilterCriteria: {} }) },
    /FilterCriteria/,
  ],
  ["a redrive rule to a queue that is not there", { Work: queueWithRedrive("Ghost") }, /Ghost\.Arn names nothing/],
  [
    "queues that are each other's dead letters",
    { A: queueWithRedrive("B"), B: queueWithRedrive("A") },
    /Something needs Planted\/[AB]/,
  ],
  ["a FIFO queue", { Work: queueResource({ FifoQueue: true }) }, /FifoQueue/],
  ["a function without a bundle", { Ghost: lambdaResource("ghost") }, /Planted\/Ghost .* no bundle/],
  [
    "a function whose environment names what is not there",
    { Worker: lambdaResource("fine", { Environment: { Variables: { X: { Ref: "Ghost" } } } }) },
    /Ref Ghost names nothing/,
  ],
  [
    "a function whose environment names what is not made here",
    {
      Topic: { Type: "AWS::SNS::Topic" },
      Worker: lambdaResource("fine", { Environment: { Variables: { X: { Ref: "Topic" } } } }),
    },
    /needs Planted\/Topic \(AWS::SNS::Topic\), which the local stack has not made/,
  ],
  ["a route to a function that is not there", httpApiResources({ "GET /x": "Ghost" }), /Ghost\.Arn names nothing/],
  ["a route to nothing", api("Route0", { Target: "integrations/none" }), /The route GET \/x .* targets no function/],
  ["an integration of another kind", api("Integration0", { IntegrationType: "HTTP_PROXY" }), /targets no function/],
  ["an integration of payload format 1.0", api("Integration0", { PayloadFormatVersion: "1.0" }), /payload format 2\.0/],
  ["a route with an authorizer", api("Route0", { AuthorizerId: "x" }), /AuthorizerId/],
  ["an API that answers CORS by itself", api("Gateway", { CorsConfiguration: {} }), /CorsConfiguration/],
  ["an API of another protocol", api("Gateway", { ProtocolType: "GRPC" }), /one HTTP API/],
  [
    "a second HTTP API",
    { ...api("Gateway", {}), Other: { Type: "AWS::ApiGatewayV2::Api", Properties: { ProtocolType: "HTTP" } } },
    /one HTTP API/,
  ],
  [
    "a route of a WebSocket API that the gateway never selects",
    sockets({ SocketRoutedefault: { RouteKey: "ping" } }),
    /\$connect, \$disconnect, \$default of a WebSocket API, and not Planted\/SocketRoutedefault/,
  ],
  [
    "a WebSocket API that answers a frame by itself",
    sockets({ SocketRoutedefault: { RouteResponseSelectionExpression: "$default" } }),
    /RouteResponseSelectionExpression/,
  ],
  [
    "a WebSocket API without a function of one route",
    sockets({ SocketIntegrationconnect: { IntegrationType: "MOCK" } }),
    /\$connect of Planted\/Sockets .* no function/,
  ],
  [
    "a route of a WebSocket API to something else than a function",
    sockets({ SocketIntegrationconnect: { IntegrationUri: "arn:aws:sqs:us-east-1:000000000000:queue" } }),
    /\$connect targets arn:aws:sqs/,
  ],
  [
    "a WebSocket API without a stage",
    sockets({ Live: { ApiId: { Ref: "Other" } } }),
    /one stage of Planted\/Sockets .*, and it has 0/,
  ],
  ["a schedule by cron", rule({ ScheduleExpression: "cron(0 1 * * ? *)" }), /rate\(…\)/],
  ["a schedule of nothing", rule({ Targets: [] }), /runs nothing/],
  [
    "a schedule of a queue",
    { ...rule({ Targets: [{ Arn: { "Fn::GetAtt": ["Work", "Arn"] } }] }), Work: queueResource() },
    /not a function/,
  ],
  [
    "a bucket that notifies",
    { Raw: { Type: "AWS::S3::Bucket", Properties: { NotificationConfiguration: {} } } },
    /notifications/,
  ],
  [
    "a table with a stream",
    { Table: { Type: "AWS::DynamoDB::Table", Properties: { StreamSpecification: {} } } },
    /streams/,
  ],
  ["an unsupported type", { Machine: { Type: "AWS::StepFunctions::StateMachine" } }, /cannot create Planted\/Machine/],
];

function queueWithRedrive(to: string) {
  return queueResource({ RedrivePolicy: { deadLetterTargetArn: { "Fn::GetAtt": [to, "Arn"] }, maxReceiveCount: 2 } });
}

describe("a template is rejected for", () => {
  it.each(refusedTemplates)("a template is rejected for %s", async (_what, resources, message) => {
    const folder = newTempFolder();
    const settings = assemblySettings(folder.path, writeAssembly(folder.path, resources, bundles));
    const started = startStack(settings);
    await expect(started).rejects.toThrow(LocalRefusal);
    await expect(started).rejects.toThrow(message);
    expect(existsSync(join(settings.dataDir, "lock"))).toBe(false);
    expect(existsSync(join(settings.dataDir, "local.json"))).toBe(false);
    folder.remove();
  });

  it("a template is rejected for being missing", async () => {
    const folder = newTempFolder();
    const started = startStack(assemblySettings(folder.path, join(folder.path, "nowhere")));
    await expect(started).rejects.toThrow(/no template in .*nowhere/);
    folder.remove();
  });

  it("a function that cannot be loaded", async () => {
    const folder = newTempFolder();
    const brokenBundles = { broken: 'throw new Error("no table"); export const handler = 1;' };
    const assembly = writeAssembly(folder.path, { Worker: lambdaResource("broken") }, brokenBundles);
    const start = startStack(assemblySettings(folder.path, assembly));
    await expect(start).rejects.toThrow(LocalRefusal);
    await expect(start).rejects.toThrow("The function Worker cannot be loaded: Error: no table");
    folder.remove();
  });

  it("a function that does not return 200 for /health", async () => {
    const folder = newTempFolder();
    const failingBundles = { failing: "export const handler = async () => ({ statusCode: 500, body: 'failing' });" };
    const assembly = writeAssembly(
      folder.path,
      { Worker: lambdaResource("failing"), ...httpApiResources({ $default: "Worker" }) },
      failingBundles,
    );
    await expect(startStack(assemblySettings(folder.path, assembly))).rejects.toThrow(
      /GET \/health returned 500 failing\. See functions\.log/,
    );
    folder.remove();
  });
});
