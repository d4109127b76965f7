import { describe, expect, test } from "vitest";
import { parseSettings } from "../../../lib/config/settings.ts";

const parse = (name: string, value: unknown) => parseSettings({ [`parley:${name}`]: value });

test("without settings, the defaults of the deploy guide apply", () => {
  expect(parseSettings({})).toEqual({
    domain: null,
    realtimeDomain: null,
    cloudFront: null,
    throughputCap: { readUnits: null, writeUnits: null },
    budget: null,
    baseUrl: null,
    realtimeUrl: null,
    consoleUrl: null,
    signUp: "closed",
    accountsPerTenant: 500,
    limits: {
      tenantsPerOwner: 5,
      tenantsPerDay: 2,
      pendingInvitesPerTenant: 50,
      inviteMailsPerTenantPerDay: 100,
      inviteMailsPerPersonPerDay: 100,
      requestsPerTenantPerMinute: 6_000,
    },
    accountChecks: "daily",
    siteUrl: null,
    platformUrls: null,
    graphVersion: "v26.0",
    metaAppId: null,
    instagramAppId: null,
    facebookLoginConfig: null,
    throttles: {
      webhooks: { rate: 500, burst: 1_000 },
      signIn: { rate: 50, burst: 100 },
      checkPage: { rate: 50, burst: 100 },
      rest: { rate: 200, burst: 500 },
    },
    size: "standard",
    deadLetterQueues: "each",
    concurrency: { inbound: 20, events: 200, deliveries: 50, slowDeliveries: 50 },
    apiReservedConcurrency: null,
    intakeReservedConcurrency: 100,
    mailFrom: null,
    alarmTopicArn: null,
    recoveryPeriodInDays: 35,
    existing: {
      table: null,
      key: null,
      rawBucket: null,
      uploadBucket: null,
      journalBucket: null,
      rootSecret: null,
      platformSecret: null,
    },
  });
});

test("the configuration accepts settings as text, as the command line passes them", () => {
  expect(parse("throttleRate", "7").throttles.rest).toEqual({ rate: 7, burst: 500 });
  expect(parse("throttleBurst", "9").throttles.rest).toEqual({ rate: 200, burst: 9 });
  expect(parse("webhooksThrottleRate", "7").throttles.webhooks).toEqual({ rate: 7, burst: 1_000 });
  expect(parse("eventsConcurrency", "100").concurrency.events).toBe(100);
  expect(parse("apiReservedConcurrency", "3").apiReservedConcurrency).toBe(3);
  expect(parse("intakeReservedConcurrency", "3").intakeReservedConcurrency).toBe(3);
  expect(parse("intakeReservedConcurrency", "0").intakeReservedConcurrency).toBeNull();
  expect(parse("baseUrl", "https://api.example.com/").baseUrl).toBe("https://api.example.com");
  expect(parse("realtimeUrl", "wss://ws.example.com/live/").realtimeUrl).toBe("wss://ws.example.com/live");
  expect(parse("consoleUrl", "https://Console.example.com:8443/").consoleUrl).toBe("https://console.example.com:8443");
  expect(parse("signUp", "open").signUp).toBe("open");
  expect(parse("accountsPerTenant", "7").accountsPerTenant).toBe(7);
  expect(parse("requestsPerTenantPerMinute", "7").limits.requestsPerTenantPerMinute).toBe(7);
  expect(parse("accountChecks", "hourly").accountChecks).toBe("hourly");
  expect(parse("mailFrom", "parley+eu@mail.example.com").mailFrom).toBe("parley+eu@mail.example.com");
  expect(parse("metaAppId", "151777648186011").metaAppId).toBe("151777648186011");
  expect(parse("instagramAppId", "1").instagramAppId).toBe("1");
  expect(parse("facebookLoginConfig", "12345678901234567890").facebookLoginConfig).toBe("12345678901234567890");
  expect(parse("siteUrl", "https://example.com/").siteUrl).toBe("https://example.com/");
});

test("the configuration accepts settings as numbers and objects, as cdk.json passes them", () => {
  expect(parse("inboundConcurrency", 2).concurrency.inbound).toBe(2);
  expect(parse("platformUrls", { facebook_graph: "https://graph.example.com" }).platformUrls).toBe(
    '{"facebook_graph":"https://graph.example.com"}',
  );
});

test("the size small reads each queue with as few invocations as Lambda permits, and reserves none", () => {
  expect(parse("size", "small")).toMatchObject({
    size: "small",
    deadLetterQueues: "one",
    concurrency: { inbound: 2, events: 2, deliveries: 2, slowDeliveries: 2 },
    apiReservedConcurrency: null,
    intakeReservedConcurrency: null,
  });
});

test.each([
  ["inboundConcurrency", "20"],
  ["slowDeliveriesConcurrency", 2],
  ["apiReservedConcurrency", "3"],
  ["intakeReservedConcurrency", "100"],
  ["deadLetterQueues", "each"],
])("the size small refuses %s, which would have no effect", (name, value) => {
  expect(() => parseSettings({ "parley:size": "small", [`parley:${name}`]: value })).toThrow(
    `Invalid parley:${name}: ${JSON.stringify(value)} together with parley:size=small. Leave one of them out.`,
  );
});

test("an empty value counts as unset", () => {
  expect(parse("siteUrl", "")).toEqual(parseSettings({}));
});

test("the configuration rejects a misspelt setting by name and ignores CDK's own context", () => {
  expect(() => parseSettings({ "parley:siteURL": "https://example.com" })).toThrow(
    /Unknown setting parley:siteURL\. Valid settings: parley:baseUrl, parley:realtimeUrl,/,
  );
  expect(() => parseSettings({ "aws:cdk:version-reporting": true })).not.toThrow();
});

describe("rejects an invalid value with the setting's name and the values it accepts", () => {
  test.each([
    ["metaAppId", 151777648186011, "the digits of an id, as text"],
    ["instagramAppId", "12 34", "the digits of an id, as text"],
    ["facebookLoginConfig", "123456789012345678901", "the digits of an id, as text"],
    ["siteUrl", "example.com", "an https URL"],
    ["siteUrl", "http://example.com", "an https URL"],
    ["siteUrl", "https://user:word@example.com", "an https URL"],
    ["siteUrl", "javascript:alert(1)", "an https URL"],
    ["baseUrl", "http://api.example.com", "an https URL"],
    ["realtimeUrl", "https://ws.example.com", "a wss URL without a query"],
    ["realtimeUrl", "ws://ws.example.com", "a wss URL without a query"],
    ["realtimeUrl", "wss://ws.example.com/?a=1", "a wss URL without a query"],
    ["realtimeUrl", "wss://user:word@ws.example.com", "a wss URL without a query"],
    ["consoleUrl", "http://console.example.com", "an https URL without a path"],
    ["consoleUrl", "https://example.com/console", "an https URL without a path"],
    ["consoleUrl", "https://example.com/?a=1", "an https URL without a path"],
    ["signUp", "true", "one of open, closed"],
    ["deadLetterQueues", "none", "one of each, one"],
    ["size", "tiny", "one of standard, small"],
    ["accountChecks", "weekly", "one of daily, hourly"],
    ["accountsPerTenant", "0", "a whole number from 1 to 1000"],
    ["accountsPerTenant", "1001", "a whole number from 1 to 1000"],
    ["graphVersion", "26", "a version such as v26.0"],
    ["mailFrom", "example.com", "an email address such as parley@example.com"],
    ["mailFrom", "a b@example.com", "an email address such as parley@example.com"],
    ["mailFrom", "parley@*", "an email address such as parley@example.com"],
    ["graphVersion", "v26.0/../me", "a version such as v26.0"],
    ["platformUrls", "not json", "a JSON object of https URLs"],
    ["platformUrls", '["https://a.example"]', "a JSON object of https URLs"],
    ["platformUrls", '{"facebook_graph":"http://graph.example.com"}', "a JSON object of https URLs"],
    ["platformUrls", '{"facebook_grapf":"https://graph.example.com"}', "URLs by host name; host names: facebook_www"],
    ["platformUrls", "{}", "a JSON object of https URLs"],
    ["tenantsPerDay", "0", "a whole number from 1 to 1000"],
    ["requestsPerTenantPerMinute", "30001", "a whole number from 1 to 30000"],
    ["throttleRate", "0", "a whole number from 1 to 100000"],
    ["throttleRate", "1.5", "a whole number"],
    ["throttleBurst", "many", "a whole number"],
    ["signInThrottleBurst", "0", "a whole number from 1 to 100000"],
    ["intakeReservedConcurrency", "10001", "a whole number from 0 to 10000"],
    ["inboundConcurrency", "1", "a whole number from 2 to 1000"],
    ["deliveriesConcurrency", "1001", "a whole number from 2 to 1000"],
    ["slowDeliveriesConcurrency", "1", "a whole number from 2 to 1000"],
    ["apiReservedConcurrency", "0", "a whole number from 1"],
    ["alarmTopicArn", "alarms", "the ARN of an SNS topic"],
    ["recoveryPeriodInDays", "0", "a whole number from 1 to 35"],
    ["recoveryPeriodInDays", "36", "a whole number from 1 to 35"],
    ["cloudFront", "true", "one of off, on"],
    ["tableMaxReadUnits", "0", "a whole number from 1 to 1000000"],
    ["tableMaxWriteUnits", "-1", "a whole number from 1 to 1000000"],
  ])("the setting %s is rejected with the value %s", (name, value, accepts) => {
    expect(() => parse(name, value)).toThrow(accepts);
    expect(() => parse(name, value)).toThrow(`parley:${name}`);
  });
});

test("the configuration accepts both ends of a range", () => {
  expect(parse("deliveriesConcurrency", "1000").concurrency.deliveries).toBe(1000);
  expect(parse("deliveriesConcurrency", "2").concurrency.deliveries).toBe(2);
});

test("the configuration accepts plain http for a loopback address only", () => {
  expect(parse("platformUrls", '{"facebook_graph":"http://127.0.0.1:9000"}').platformUrls).toBe(
    '{"facebook_graph":"http://127.0.0.1:9000"}',
  );
});

const certificateArn = "arn:aws:acm:eu-central-1:123456789012:certificate/a1-b2";
const edgeArn = "arn:aws:acm:us-east-1:123456789012:certificate/e5-f6";
const ownArn = "arn:aws:acm:eu-central-1:123456789012:certificate/c3-d4";

test("the configuration has a domain for each gateway, with one certificate for both or one for each", () => {
  const both = { "parley:domain": "api.example.com", "parley:realtimeDomain": "ws.example.com" };
  expect(parseSettings({ ...both, "parley:certificateArn": certificateArn })).toMatchObject({
    domain: { name: "api.example.com", certificateArn },
    realtimeDomain: { name: "ws.example.com", certificateArn },
  });
  expect(
    parseSettings({ ...both, "parley:certificateArn": certificateArn, "parley:realtimeCertificateArn": ownArn }),
  ).toMatchObject({ domain: { certificateArn }, realtimeDomain: { certificateArn: ownArn } });
});

test("the configuration has a distribution with a domain of us-east-1, and its first secret", () => {
  const domain = { "parley:domain": "api.example.com", "parley:certificateArn": edgeArn };
  expect(parseSettings({ "parley:cloudFront": "on", ...domain })).toMatchObject({
    cloudFront: { originSecretNumber: 1 },
    domain: { name: "api.example.com", certificateArn: edgeArn },
  });
  expect(parseSettings({ "parley:cloudFront": "on", "parley:originSecretNumber": "2" }).cloudFront).toEqual({
    originSecretNumber: 2,
  });
  expect(parseSettings({ "parley:cloudFront": "off" })).toEqual(parseSettings({}));
});

test("the configuration limits the units of the table, reads apart from writes", () => {
  expect(parse("tableMaxReadUnits", "500").throughputCap).toEqual({ readUnits: 500, writeUnits: null });
  expect(parse("tableMaxWriteUnits", 200).throughputCap).toEqual({ readUnits: null, writeUnits: 200 });
});

test.each([
  [{ domain: "api.example.com" }, "parley:domain needs parley:certificateArn."],
  [{ certificateArn }, "parley:certificateArn needs parley:domain."],
  [{ realtimeDomain: "ws.example.com" }, "parley:realtimeDomain needs parley:realtimeCertificateArn."],
  [{ realtimeCertificateArn: ownArn }, "parley:realtimeCertificateArn needs parley:realtimeDomain."],
  [{ domain: "https://api.example.com", certificateArn }, "Invalid parley:domain"],
  [{ domain: "API.example.com", certificateArn }, "Invalid parley:domain"],
  [{ domain: "api", certificateArn }, "Invalid parley:domain"],
  [{ domain: "api.example.com", certificateArn: "arn:aws:iam::1:x" }, "Invalid parley:certificateArn"],
  [{ domain: "a.example.com", realtimeDomain: "a.example.com", certificateArn }, "Invalid parley:realtimeDomain"],
  [{ originSecretNumber: "2" }, "parley:originSecretNumber needs parley:cloudFront."],
  [{ cloudFront: "on", originSecretNumber: "0" }, "Invalid parley:originSecretNumber"],
  [{ cloudFront: "on", domain: "api.example.com", certificateArn }, "Invalid parley:certificateArn"],
  [
    { cloudFront: "on", domain: "api.example.com", certificateArn: edgeArn, realtimeDomain: "ws.example.com" },
    "parley:realtimeDomain needs parley:realtimeCertificateArn.",
  ],
  [{ budgetAmount: "20" }, "parley:budgetAmount needs parley:budgetNotify."],
  [{ budgetNotify: "ops@example.com" }, "parley:budgetNotify needs parley:budgetAmount."],
  [{ budgetAmount: "0", budgetNotify: "ops@example.com" }, "Invalid parley:budgetAmount"],
  [{ budgetAmount: "20", budgetNotify: "ops" }, "Invalid parley:budgetNotify"],
])("the configuration refuses %j in one line that names the problem", (settings, message) => {
  const context = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`parley:${name}`, value]));
  expect(() => parseSettings(context)).toThrow(message);
});
