import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { functions, env as names } from "#base/config/names.ts";
import { findDynoxide } from "#local-aws/dynamodb/programs.ts";
import { openSeedPorts } from "../../../local/stack/seed-ports.ts";
import { type Stack, type StackSettings, startStack } from "../../../local/stack/stack.ts";
import { newTempFolder } from "../../support/assemblies/assemblies.ts";
import { pressLink } from "./press-link.ts";

const folder = newTempFolder();
const settings: StackSettings = {
  port: 0,
  dataDir: join(folder.path, "data"),
  fresh: false,
  seedAccounts: true,
  strictEgress: false,
  exposedEngine: findDynoxide() === null,
  seedPorts: openSeedPorts,
  report: () => {},
};
let stack: Stack;
beforeAll(async () => {
  stack = await startStack(settings);
});
afterAll(async () => {
  await stack.close();
  folder.remove();
});

async function countMessages(key: string | undefined): Promise<number> {
  const response = await fetch(`${stack.baseUrl}/v1/conversations`, { headers: { authorization: `Bearer ${key}` } });
  return response.status;
}

it("the stack of the service's template has every function with the environment of the template", () => {
  for (const id of functions) {
    expect(stack.env(id).AWS_LAMBDA_FUNCTION_NAME).toBe(`ParleyService-${id}`);
    expect(JSON.stringify(stack.env(id))).not.toContain(".invalid");
  }
  expect(JSON.parse(stack.env("Api")[names.platformUrls] ?? "")).toMatchObject({
    facebook_graph: `${stack.simulatorUrl}/facebook_graph`,
    instagram_graph: `${stack.simulatorUrl}/instagram_graph`,
  });
  // Intake calls no platform, so neither the template nor the stack gives it their URLs.
  expect(stack.env("Intake")).not.toHaveProperty(names.platformUrls);
});

it("the stack of the service's template takes upload forms from pages of its own origin only", async () => {
  const { AWS_ENDPOINT_URL, [names.uploadBucket]: bucket } = stack.env("Sweep");
  const preflight = async (origin: string) => {
    const headers = { origin, "access-control-request-method": "POST" };
    return (await fetch(`${AWS_ENDPOINT_URL}/${bucket}`, { method: "OPTIONS", headers })).status;
  };
  expect(await preflight(stack.baseUrl)).toBe(200);
  expect(await preflight("https://console.example.com")).toBe(403);
  expect(stack.env("Api")[names.ownHosts]).toContain(`${bucket}.s3.us-east-1.amazonaws.com`);
});

it("the stack of the service's template serves the console, whose page may reach its own socket, storage and simulator alone", async () => {
  const page = await fetch(`${stack.baseUrl}/app`);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const policy = page.headers.get("content-security-policy") ?? "";
  const socket = new URL(stack.local.ws_url ?? "").origin;
  const { AWS_ENDPOINT_URL } = stack.env("Sweep");
  expect(policy).toContain(`connect-src 'self' ${socket} ${AWS_ENDPOINT_URL};`);
  expect(policy).toContain(`img-src 'self' blob: ${stack.simulatorUrl};`);
  expect(policy).toContain(`media-src 'self' blob: ${stack.simulatorUrl};`);
  const [, script = ""] = /src="(\/app\/assets\/[^"]+\.js)"/.exec(await page.text()) ?? [];
  const { status, headers } = await fetch(`${stack.baseUrl}${script}`, { headers: { "accept-encoding": "br" } });
  expect([status, headers.get("content-encoding")]).toEqual([200, "br"]);
  expect((await fetch(`${stack.baseUrl}/app/assets/unknown.js`)).status).toBe(404);
});

it("the stack of the service's template accepts only the two demo keys", async () => {
  expect(stack.local.live_key).toMatch(/^svc_live_/);
  expect(stack.local.test_key).toMatch(/^svc_test_/);
  expect(await countMessages(stack.local.live_key)).toBe(200);
  expect(await countMessages(stack.local.test_key)).toBe(200);
  expect(await countMessages(`${stack.local.live_key}x`)).toBe(401);
});

it("the stack of the service's template has a link in local.json that signs in the owner of the demo tenant by one press, once", async () => {
  const link = stack.local.sign_in_url ?? "";
  const page = await fetch(link, { redirect: "manual" });
  expect([page.status, page.headers.getSetCookie()]).toEqual([200, []]);
  const { status, headers } = await pressLink(link);
  expect([status, headers.get("location")]).toEqual([303, `${stack.baseUrl}/app`]);
  const cookie = headers.getSetCookie().map((each) => each.split(";")[0]);
  const me = await fetch(`${stack.baseUrl}/console/me`, { headers: { cookie: cookie.join("; ") } });
  expect(await me.json()).toMatchObject({ data: { email: "owner@local.invalid", tenant: "demo" } });
  expect((await fetch(link, { redirect: "manual" })).status).toBe(401);
});

it("the stack of the service's template lists the demo accounts under their keys in local.json", async () => {
  const headers = { authorization: `Bearer ${stack.local.live_key}` };
  const body = (await (await fetch(`${stack.baseUrl}/v1/accounts`, { headers })).json()) as {
    data: { accounts: { account_key: string }[] };
  };
  const listed = body.data.accounts.map(({ account_key }) => account_key);
  expect(listed.sort()).toEqual(stack.local.accounts.map(({ account_key }) => account_key).sort());
});

it("the stack of the service's template retains tenant, keys and accounts across a restart", async () => {
  const before = stack.local;
  await stack.close();
  expect(existsSync(join(stack.dataDir, "local.json"))).toBe(false);
  stack = await startStack({ ...settings, assembly: join(stack.dataDir, "cdk.out") });
  const {
    base_url: _base,
    simulator_url: _simulator,
    ws_url: _socket,
    sign_in_url: earlierLink,
    ...stableFields
  } = before;
  expect(stack.local).toMatchObject(stableFields);
  expect(stack.local.sign_in_url).not.toBe(earlierLink);
  expect(await countMessages(before.live_key)).toBe(200);
});
