import { expect, test } from "vitest";
import { env, functions } from "#base/config/names.ts";
import { ORIGIN_HEADER } from "#base/kernel/text/origin-header.ts";
import { policyStatements, resourcesOfType, synthesizeTemplates, type Template } from "../synth-templates.ts";
import { functionEnvironment } from "./support/function-environment.ts";

// A distribution of CloudFront in front of the HTTP API.

const domain = {
  "parley:domain": "api.example.com",
  "parley:certificateArn": "arn:aws:acm:us-east-1:123456789012:certificate/a1-b2",
};
const { service: plain } = synthesizeTemplates();
const { service } = synthesizeTemplates({ "parley:cloudFront": "on" });

interface Behavior {
  readonly PathPattern?: string;
  readonly CachePolicyId: unknown;
  readonly OriginRequestPolicyId?: unknown;
  readonly ViewerProtocolPolicy: string;
}
interface DistributionConfig {
  readonly Aliases?: readonly string[];
  readonly Logging?: unknown;
  readonly ViewerCertificate?: unknown;
  readonly DefaultCacheBehavior: Behavior;
  readonly CacheBehaviors: readonly Behavior[];
  readonly CustomErrorResponses: readonly { readonly ErrorCode: number; readonly ErrorCachingMinTTL: number }[];
  readonly Origins: readonly {
    readonly DomainName: unknown;
    readonly CustomOriginConfig: Readonly<Record<string, unknown>>;
    readonly OriginCustomHeaders: readonly { readonly HeaderName: string; readonly HeaderValue: unknown }[];
  }[];
}

function distribution(template: Template): DistributionConfig {
  const [entry] = resourcesOfType(template, "AWS::CloudFront::Distribution");
  return entry?.[1].Properties.DistributionConfig as DistributionConfig;
}

/** The ids of the secrets of the service stack. */
const secretIds = (template: Template) => resourcesOfType(template, "AWS::SecretsManager::Secret").map(([id]) => id);

/** The functions that accept the secrets of the distribution, with the ids of these. */
function recognizing(template: Template): Record<string, string[]> {
  const entries = functions.flatMap((name) => {
    const value = functionEnvironment(name, template)[env.originSecretIds];
    return value === undefined ? [] : [[name, JSON.stringify(value).match(/CloudFrontOriginSecret\w+/g) ?? []]];
  });
  return Object.fromEntries(entries);
}

test("a deployment without the setting has neither a distribution nor a secret that a function believes", () => {
  expect(resourcesOfType(plain, "AWS::CloudFront::Distribution")).toEqual([]);
  expect(secretIds(plain)).toEqual([]);
  expect(recognizing(plain)).toEqual({});
});

test("the distribution calls the gateway's own host over https only, with the secret of its number", () => {
  const { Origins } = distribution(service);
  const [, number] = /OriginSecret(\d)/.exec(JSON.stringify(Origins[0]?.OriginCustomHeaders)) ?? [];
  expect([Origins.length, number]).toEqual([1, "1"]);
  expect(Origins[0]?.OriginCustomHeaders.map(({ HeaderName }) => HeaderName)).toEqual([ORIGIN_HEADER]);
  expect(JSON.stringify(Origins[0]?.OriginCustomHeaders)).toContain("{{resolve:secretsmanager:");
  expect(JSON.stringify(Origins[0]?.DomainName)).toContain(".execute-api.");
  expect(Origins[0]?.CustomOriginConfig).toMatchObject({
    OriginProtocolPolicy: "https-only",
    OriginSSLProtocols: ["TLSv1.2"],
    OriginReadTimeout: 40,
  });
});

test("the distribution stores hashed files and the documentation as they say, and nothing of the API", () => {
  const { DefaultCacheBehavior, CacheBehaviors, CustomErrorResponses } = distribution(service);
  // AWS's managed policies CachingDisabled and AllViewerExceptHostHeader.
  expect(DefaultCacheBehavior).toMatchObject({
    CachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
    OriginRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
    ViewerProtocolPolicy: "https-only",
  });
  expect(CacheBehaviors.map(({ PathPattern }) => PathPattern)).toEqual(["/app/assets/*", "/docs", "/docs/*"]);
  const policies = resourcesOfType(service, "AWS::CloudFront::CachePolicy");
  expect(policies.map(([, { Properties }]) => Properties.CachePolicyConfig)).toMatchObject([
    {
      MinTTL: 0,
      DefaultTTL: 0,
      ParametersInCacheKeyAndForwardedToOrigin: {
        CookiesConfig: { CookieBehavior: "none" },
        HeadersConfig: { HeaderBehavior: "none" },
        QueryStringsConfig: { QueryStringBehavior: "none" },
        EnableAcceptEncodingBrotli: true,
        EnableAcceptEncodingGzip: true,
      },
    },
  ]);
  for (const each of CacheBehaviors) {
    expect([each.CachePolicyId, each.OriginRequestPolicyId]).toEqual([{ Ref: policies[0]?.[0] }, undefined]);
  }
  // By default CloudFront stores these for ten seconds, also of routes whose responses it does not store.
  expect(CustomErrorResponses.map(({ ErrorCode, ErrorCachingMinTTL }) => [ErrorCode, ErrorCachingMinTTL])).toEqual(
    [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504].map((status) => [status, 0]),
  );
});

test("the distribution writes no log, whose lines would have the queries with their credentials", () => {
  expect(distribution(service).Logging).toBeUndefined();
});

test("the functions that count or record addresses read the secret of now and the next one, and no other function does", () => {
  const [first = "", second = ""] = secretIds(service);
  expect([first, second].map((id) => /OriginSecret(\d)/.exec(id)?.[1])).toEqual(["1", "2"]);
  expect(recognizing(service)).toEqual(
    Object.fromEntries(["Api", "Verify", "Console", "Connect"].map((name) => [name, [first, second]])),
  );
  for (const name of ["Api", "Verify", "Console", "Connect"] as const) {
    const readable = JSON.stringify(
      policyStatements(service, name).filter(({ Action }) => Action === "secretsmanager:GetSecretValue"),
    );
    expect([name, readable.includes(first), readable.includes(second)]).toEqual([name, true, true]);
  }
});

test("a higher number sends the secret that the functions accept already, and ends that of before", () => {
  const { service: next } = synthesizeTemplates({ "parley:cloudFront": "on", "parley:originSecretNumber": "2" });
  const [, accepted] = secretIds(service);
  expect(secretIds(next)[0]).toBe(accepted);
  expect(JSON.stringify(distribution(next).Origins[0]?.OriginCustomHeaders)).toContain(accepted);
  expect(JSON.stringify(next)).not.toContain(secretIds(service)[0]);
});

test.each([
  ["its own host", {}],
  ["a domain", domain],
  [
    "other public URLs",
    { "parley:baseUrl": "https://chat.example.com", "parley:consoleUrl": "https://chat.example.com" },
  ],
])("the distribution with %s sends the next secret before a function forgets that of before", (_, context) => {
  const { service: template } = synthesizeTemplates({ "parley:cloudFront": "on", ...context });
  const [id] = resourcesOfType(template, "AWS::CloudFront::Distribution")[0] ?? [];
  for (const name of Object.keys(recognizing(service))) {
    expect([name, template.Resources[name]?.DependsOn]).toEqual([name, expect.arrayContaining([id])]);
  }
});

test("the public URL is that of the distribution, no webhook may point to it, and the sockets stay direct", () => {
  const [id] = resourcesOfType(service, "AWS::CloudFront::Distribution")[0] ?? [];
  const host = { "Fn::GetAtt": [id, "DomainName"] };
  const url = { "Fn::Join": ["", ["https://", host]] };
  expect(functionEnvironment("Api", service)[env.baseUrl]).toEqual(url);
  expect([service.Outputs.BaseUrl?.Value, service.Outputs.ApiUrl?.Value]).toEqual([url, url]);
  expect(JSON.stringify(functionEnvironment("Deliver", service)[env.ownHosts])).toContain(JSON.stringify(host));
  expect(functionEnvironment("Api", service)[env.realtimeUrl]).toEqual(
    functionEnvironment("Api", plain)[env.realtimeUrl],
  );
});

test("the domain is that of the distribution, and the gateway's own host stays on, because the distribution calls it", () => {
  const { service: named } = synthesizeTemplates({ "parley:cloudFront": "on", ...domain });
  expect(distribution(named).Aliases).toEqual(["api.example.com"]);
  expect(distribution(named).ViewerCertificate).toMatchObject({ MinimumProtocolVersion: "TLSv1.2_2021" });
  expect(resourcesOfType(named, "AWS::ApiGatewayV2::DomainName")).toEqual([]);
  const hosts = resourcesOfType(named, "AWS::ApiGatewayV2::Api").map(
    ([, { Properties }]) => Properties.DisableExecuteApiEndpoint,
  );
  expect(hosts).toEqual([undefined, undefined]);
  expect(named.Outputs.BaseUrl?.Value).toBe("https://api.example.com");
  expect(named.Outputs).toHaveProperty("CloudFrontTarget");
});
