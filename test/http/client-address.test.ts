import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { ORIGIN_HEADER } from "#base/kernel/text/origin-header.ts";
import { clientAddress } from "#http/client-address.ts";
import { lambdaHandler } from "#http/lambda.ts";
import { createTestApp } from "./support/sample-routes.ts";

const EDGE = "130.176.0.9";
const VIEWER = "203.0.113.7";
const SECRETS = ["Current0000000000", "Next0000000000000"];

function eventWith(headers: Record<string, string>): APIGatewayProxyEventV2 {
  const http = { method: "GET", path: "/v1/facts", protocol: "HTTP/1.1", sourceIp: EDGE, userAgent: "test" };
  return {
    rawPath: "/v1/facts",
    rawQueryString: "",
    headers,
    requestContext: { requestId: "r", http },
  } as unknown as APIGatewayProxyEventV2;
}

const addressOf = (headers: Record<string, string>, secrets: readonly string[] | null = SECRETS) =>
  clientAddress(eventWith(headers), secrets === null ? null : async () => secrets);

describe("a request with the secret of the distribution", () => {
  it.each(SECRETS)("the address that the distribution forwards counts with the secret %s", async (secret) => {
    const headers = { [ORIGIN_HEADER]: secret, "x-forwarded-for": `${VIEWER}, ${EDGE}` };
    expect(await addressOf(headers)).toBe(VIEWER);
  });

  it("the client's own text before the address does not count", async () => {
    const list = `198.51.100.1, ${VIEWER}, ${EDGE}`;
    expect(await addressOf({ [ORIGIN_HEADER]: SECRETS[0] ?? "", "x-forwarded-for": list })).toBe(VIEWER);
  });

  it.each([
    ["the client names an address of the distribution", `${EDGE}, ${VIEWER}, ${EDGE}`, VIEWER],
    ["the gateway appends nothing", `198.51.100.1,${VIEWER}`, VIEWER],
    ["the client has IPv6", `2001:db8::7, ${EDGE}`, "2001:db8::7"],
    ["the list is long", `${"198.51.100.1, ".repeat(5_000)}${VIEWER}, ${EDGE}`, VIEWER],
    ["the list has the distribution only", EDGE, EDGE],
    ["the list is empty", "", EDGE],
    ["the text is no address", `<script>, ${EDGE}`, EDGE],
  ])("the address is the one that the distribution appended where %s", async (_, list, address) => {
    expect(await addressOf({ [ORIGIN_HEADER]: SECRETS[0] ?? "", "x-forwarded-for": list })).toBe(address);
  });

  it("the address is that of the gateway if the list is missing", async () => {
    expect(await addressOf({ [ORIGIN_HEADER]: SECRETS[0] ?? "" })).toBe(EDGE);
  });
});

describe("a request without the secret of the distribution", () => {
  it.each([
    ["has no header", undefined],
    ["guesses", "Current0000000001"],
    ["sends the secret's beginning", "Current"],
    ["sends both secrets", SECRETS.join(",")],
    ["sends an empty text", ""],
  ])("no forwarded address counts if it %s", async (_, proof) => {
    const headers = { "x-forwarded-for": `${VIEWER}, ${EDGE}` };
    expect(await addressOf(proof === undefined ? headers : { ...headers, [ORIGIN_HEADER]: proof })).toBe(EDGE);
  });

  it("no secret is read for it, so a caller without one costs nothing", async () => {
    const readSecrets = () => Promise.reject(new Error("The secret was read."));
    expect(await clientAddress(eventWith({ "x-forwarded-for": VIEWER }), readSecrets)).toBe(EDGE);
  });

  it("an empty secret proves nothing", async () => {
    expect(await addressOf({ [ORIGIN_HEADER]: "", "x-forwarded-for": `${VIEWER}, ${EDGE}` }, [""])).toBe(EDGE);
  });

  it("no forwarded address counts where nothing is in front of the gateway, with any header", async () => {
    const headers = { [ORIGIN_HEADER]: SECRETS[0] ?? "", "x-forwarded-for": `${VIEWER}, ${EDGE}` };
    expect(await addressOf(headers, null)).toBe(EDGE);
  });
});

describe("the handler of Lambda", () => {
  const headers = { [ORIGIN_HEADER]: SECRETS[0] ?? "", "x-forwarded-for": `${VIEWER}, ${EDGE}` };
  const invocation = { getRemainingTimeInMillis: () => 10_000 };

  it("a route sees the forwarded address if the secret is right, and else the one that the gateway saw", async () => {
    const { app } = createTestApp();
    const seen = async (readSecrets: (() => Promise<readonly string[]>) | null) => {
      const result = await lambdaHandler(app, () => {}, readSecrets)(eventWith(headers), invocation);
      return (JSON.parse(result.body ?? "") as { data: { ip: string } }).data.ip;
    };
    expect(await seen(async () => SECRETS)).toBe(VIEWER);
    expect(await seen(async () => ["Another0000000000"])).toBe(EDGE);
    expect(await seen(null)).toBe(EDGE);
  });

  it("a secret that cannot be read is a fault, because another address would count for many clients", async () => {
    const { app } = createTestApp();
    const lines: unknown[] = [];
    const failing = lambdaHandler(
      app,
      (line) => lines.push(line),
      () => Promise.reject(new TypeError("unreachable")),
    );
    const result = await failing(eventWith(headers), invocation);
    expect([result.statusCode, lines.length]).toEqual([500, 1]);
  });
});
