import { describe, expect, test } from "vitest";
import { parseSettings } from "../../../lib/config/settings.ts";

const parse = (name: string, value: unknown) => parseSettings({ [`parley:${name}`]: value });

test("without settings, the defaults of the deploy guide hold", () => {
  expect(parseSettings({})).toEqual({
    baseUrl: null,
    siteUrl: null,
    platformUrls: null,
    graphVersion: "v26.0",
    throttle: { rate: 200, burst: 500 },
    concurrency: { inbound: 20, events: 50, deliveries: 50 },
    apiReservedConcurrency: null,
    mailFrom: null,
    alarmTopicArn: null,
  });
});

test("settings are taken as the command line gives them: as text", () => {
  expect(parse("throttleRate", "7").throttle).toEqual({ rate: 7, burst: 500 });
  expect(parse("throttleBurst", "9").throttle).toEqual({ rate: 200, burst: 9 });
  expect(parse("eventsConcurrency", "100").concurrency.events).toBe(100);
  expect(parse("apiReservedConcurrency", "3").apiReservedConcurrency).toBe(3);
  expect(parse("baseUrl", "https://api.example.com/").baseUrl).toBe("https://api.example.com");
  expect(parse("mailFrom", "parley+eu@mail.example.com").mailFrom).toBe("parley+eu@mail.example.com");
  expect(parse("siteUrl", "https://example.com/").siteUrl).toBe("https://example.com/");
});

test("settings are taken as cdk.json gives them: as numbers and objects", () => {
  expect(parse("inboundConcurrency", 2).concurrency.inbound).toBe(2);
  expect(parse("platformUrls", { facebook_graph: "https://graph.example.com" }).platformUrls).toBe(
    '{"facebook_graph":"https://graph.example.com"}',
  );
});

test("an empty value is no value", () => {
  expect(parse("siteUrl", "")).toEqual(parseSettings({}));
});

test("a misspelt setting is refused by name, and CDK's own context is not ours", () => {
  expect(() => parseSettings({ "parley:siteURL": "https://example.com" })).toThrow(
    /no setting parley:siteURL\. The settings are: parley:baseUrl, parley:siteUrl,/,
  );
  expect(() => parseSettings({ "aws:cdk:version-reporting": true })).not.toThrow();
});

describe("a wrong value is refused with the setting's name and what it takes", () => {
  test.each([
    ["siteUrl", "example.com", "an https URL"],
    ["siteUrl", "http://example.com", "an https URL"],
    ["siteUrl", "https://user:word@example.com", "an https URL"],
    ["siteUrl", "javascript:alert(1)", "an https URL"],
    ["baseUrl", "http://api.example.com", "an https URL"],
    ["graphVersion", "26", "a version such as v26.0"],
    ["mailFrom", "example.com", "an address such as parley@example.com"],
    ["mailFrom", "a b@example.com", "an address such as parley@example.com"],
    ["mailFrom", "parley@*", "an address such as parley@example.com"],
    ["graphVersion", "v26.0/../me", "a version such as v26.0"],
    ["platformUrls", "not json", "a JSON object of https URLs"],
    ["platformUrls", '["https://a.example"]', "a JSON object of https URLs"],
    ["platformUrls", '{"facebook_graph":"http://graph.example.com"}', "a JSON object of https URLs"],
    ["platformUrls", '{"facebook_grapf":"https://graph.example.com"}', "with some of the names facebook_www"],
    ["platformUrls", "{}", "a JSON object of https URLs"],
    ["throttleRate", "0", "a whole number from 1 to 100000"],
    ["throttleRate", "1.5", "a whole number"],
    ["throttleBurst", "many", "a whole number"],
    ["inboundConcurrency", "1", "a whole number from 2 to 1000"],
    ["deliveriesConcurrency", "1001", "a whole number from 2 to 1000"],
    ["apiReservedConcurrency", "0", "a whole number from 1"],
    ["alarmTopicArn", "alarms", "the ARN of an SNS topic"],
  ])("%s %s", (name, value, takes) => {
    expect(() => parse(name, value)).toThrow(takes);
    expect(() => parse(name, value)).toThrow(`parley:${name}`);
  });
});

test("both ends of a range are in it", () => {
  expect(parse("deliveriesConcurrency", "1000").concurrency.deliveries).toBe(1000);
  expect(parse("deliveriesConcurrency", "2").concurrency.deliveries).toBe(2);
});

test("plain http is taken for a loopback address alone", () => {
  expect(parse("platformUrls", '{"facebook_graph":"http://127.0.0.1:9000"}').platformUrls).toBe(
    '{"facebook_graph":"http://127.0.0.1:9000"}',
  );
});
