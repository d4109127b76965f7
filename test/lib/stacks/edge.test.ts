import { expect, test } from "vitest";
import { env } from "#base/config/names.ts";
import { resourcesOfType, synthesizeTemplates } from "../synth-templates.ts";
import { functionEnvironment } from "./support/function-environment.ts";

// Domains of the operator, and the budget.

const certificateArn = "arn:aws:acm:eu-central-1:123456789012:certificate/a1-b2";
const settings = {
  "parley:domain": "api.example.com",
  "parley:realtimeDomain": "ws.example.com",
  "parley:certificateArn": certificateArn,
};
const { service: plain } = synthesizeTemplates();
const { service } = synthesizeTemplates(settings);

const disabledHosts = (template: typeof service) =>
  Object.fromEntries(
    resourcesOfType(template, "AWS::ApiGatewayV2::Api").map(([, { Properties }]) => [
      Properties.ProtocolType,
      Properties.DisableExecuteApiEndpoint,
    ]),
  );

test("without a domain, the hosts of the gateways are on, and nothing is mapped", () => {
  expect(disabledHosts(plain)).toEqual({ HTTP: undefined, WEBSOCKET: undefined });
  expect(resourcesOfType(plain, "AWS::ApiGatewayV2::DomainName")).toEqual([]);
  expect(resourcesOfType(plain, "AWS::Budgets::Budget")).toEqual([]);
});

test("with domains, each gateway has its own at its root, with TLS 1.2, and its own host is off", () => {
  expect(disabledHosts(service)).toEqual({ HTTP: true, WEBSOCKET: true });
  const domains = resourcesOfType(service, "AWS::ApiGatewayV2::DomainName").map(([, { Properties }]) => Properties);
  expect(domains).toEqual(
    ["api.example.com", "ws.example.com"].map((DomainName) => ({
      DomainName,
      DomainNameConfigurations: [
        { CertificateArn: certificateArn, EndpointType: "REGIONAL", SecurityPolicy: "TLS_1_2" },
      ],
    })),
  );
  const mappings = resourcesOfType(service, "AWS::ApiGatewayV2::ApiMapping").map(([, { Properties }]) => Properties);
  expect(mappings.map(({ ApiMappingKey }) => ApiMappingKey)).toEqual([undefined, undefined]);
  expect(Object.keys(service.Outputs)).toEqual(expect.arrayContaining(["DomainTarget", "RealtimeDomainTarget"]));
});

test("with a domain of the API alone, the sockets have the host of their gateway", () => {
  const { "parley:realtimeDomain": _, ...ofApi } = settings;
  expect(disabledHosts(synthesizeTemplates(ofApi).service)).toEqual({ HTTP: true, WEBSOCKET: undefined });
});

test("with domains, the URLs follow them, the connections too, and a webhook URL with their hosts is refused", () => {
  expect(service.Outputs.BaseUrl?.Value).toBe("https://api.example.com");
  expect(functionEnvironment("Api", service)).toMatchObject({
    [env.baseUrl]: "https://api.example.com",
    [env.realtimeUrl]: "wss://ws.example.com",
  });
  expect(functionEnvironment("Push", service)[env.realtimeEndpoint]).toBe("https://ws.example.com");
  expect(JSON.stringify(functionEnvironment("Deliver", service)[env.ownHosts])).toContain(
    "api.example.com,ws.example.com,",
  );
});

test("with a URL of its own, a deployment with domains has that URL", () => {
  const urls = { "parley:baseUrl": "https://cdn.example.com", "parley:realtimeUrl": "wss://live.example.com" };
  const { service: fronted } = synthesizeTemplates({ ...settings, ...urls });
  expect(functionEnvironment("Api", fronted)).toMatchObject({
    [env.baseUrl]: "https://cdn.example.com",
    [env.realtimeUrl]: "wss://live.example.com",
  });
});

test.each([
  ["ops@example.com", "EMAIL"],
  ["arn:aws:sns:eu-central-1:123456789012:bills", "SNS"],
])("a budget notifies %s (%s) of 80 percent that are spent, and of all that is forecast", (notify, type) => {
  const set = synthesizeTemplates({ "parley:budgetAmount": "20", "parley:budgetNotify": notify }).service;
  const subscribers = [{ SubscriptionType: type, Address: notify }];
  const notification = (NotificationType: string, Threshold: number) => ({
    Notification: {
      NotificationType,
      Threshold,
      ThresholdType: "PERCENTAGE",
      ComparisonOperator: "GREATER_THAN",
    },
    Subscribers: subscribers,
  });
  expect(resourcesOfType(set, "AWS::Budgets::Budget").map(([, { Properties }]) => Properties)).toEqual([
    {
      Budget: { BudgetType: "COST", TimeUnit: "MONTHLY", BudgetLimit: { Amount: 20, Unit: "USD" } },
      NotificationsWithSubscribers: [notification("ACTUAL", 80), notification("FORECASTED", 100)],
    },
  ]);
});
