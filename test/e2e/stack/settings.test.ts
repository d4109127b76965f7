import { describe, expect, it } from "vitest";
import { resourcesOfType, synthesizeTemplates } from "../../lib/synth-templates.ts";
import { openedOnce } from "../../support/opened.ts";
import { startLocalStack } from "../support/local-stack.ts";

const strictStack = openedOnce(() =>
  startLocalStack({ env: { PARLEY_EGRESS: "strict", PARLEY_SITE_URL: "https://parley.example/" } }),
);
const defaultStack = openedOnce(() => startLocalStack({ env: { PARLEY_SEED: "0" } }));

const urls = ["http://127.0.0.1:9/hooks", "http://localhost:9/hooks"] as const;

it.each([
  ...urls,
  "https://127.0.0.1/hooks",
  "https://localhost/hooks",
  "https://[::1]/hooks",
  "https://169.254.169.254/latest/meta-data",
  "https://10.0.0.1/hooks",
  "http://example.com/hooks",
  "https://user:secret@example.com/hooks",
  "ftp://example.com/hooks",
  "nonsense",
])("PARLEY_EGRESS=strict refuses a webhook at %s with 400 and the reason", async (url) => {
  const { status, body } = await strictStack.api("POST", "/v1/webhooks", { url });
  expect([status, body.error.code]).toEqual([400, "invalid_request"]);
  expect(body.error.detail).toMatch(/^(The .+|Invalid URL\. Use .+)\.$/);
  expect(body.error.detail).not.toContain("secret");
  expect((await strictStack.api("GET", "/v1/webhooks")).body.data.endpoints).toEqual([]);
});

describe("without PARLEY_EGRESS", () => {
  it.each(urls)("a webhook at %s is accepted", async (url) => {
    const { status, body } = await defaultStack.api("POST", "/v1/webhooks", { url });
    expect([status, body.data.endpoint.url]).toEqual([200, url]);
  });

  it.each(["http://10.0.0.1/hooks", "http://169.254.169.254/latest", "ftp://127.0.0.1/hooks"])(
    "a webhook at %s is refused",
    async (url) => {
      const { status, body } = await defaultStack.api("POST", "/v1/webhooks", { url });
      expect([status, body.error.code]).toEqual([400, "invalid_request"]);
      expect(body.error.detail).toMatch(/^(The .+|Invalid URL\. Use .+)\.$/);
    },
  );
});

it("the service's own hosts are refused as webhooks, strict or not, except loopback, which receivers share", async () => {
  const [[gateway = ""] = []] = resourcesOfType(synthesizeTemplates().service, "AWS::ApiGatewayV2::Api");
  for (const stack of [strictStack, defaultStack]) {
    const url = `https://${gateway}.execute-api.us-east-1.amazonaws.com/v1/ping`;
    const { status, body } = await stack.api("POST", "/v1/webhooks", { url });
    expect([status, body.error.detail]).toEqual([400, "The URL must not point to this service."]);
  }
  const { status } = await defaultStack.api("POST", "/v1/webhooks", { url: `${defaultStack.info.base_url}/hooks` });
  expect(status).toBe(200);
});

it.each([
  ["/", "https://parley.example/"],
  ["/?utm_source=a&b=c%20d", "https://parley.example/?utm_source=a&b=c%20d"],
  ["/.well-known/security.txt", "https://parley.example/.well-known/security.txt"],
  ["/.well-known/security.txt?x=1", "https://parley.example/.well-known/security.txt?x=1"],
])("PARLEY_SITE_URL redirects %s to %s, and no key is asked for", async (path, location) => {
  const { status, headers } = await strictStack.request(path);
  expect([status, headers.get("location")]).toEqual([301, location]);
  expect(headers.get("x-correlation-id")).toMatch(/\S/);
});

it.each(["/", "/?a=b", "/.well-known/security.txt"])(
  "a page %s whose setting is not set is 404 in the envelope",
  async (path) => {
    const { status, body } = await defaultStack.request(path);
    expect([status, body.ok, body.error.code]).toEqual([404, false, "route_not_found"]);
  },
);

it("PARLEY_SEED=0 starts with the tenant and its keys but no account", async () => {
  expect(defaultStack.info.accounts).toEqual([]);
  expect((await defaultStack.api("GET", "/v1/accounts")).body.data.accounts).toEqual([]);
  expect((await strictStack.api("GET", "/v1/accounts")).body.data.accounts).toHaveLength(3);
});
