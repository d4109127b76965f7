import { expect, it } from "vitest";
import * as z from "zod/mini";
import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { pageEndpointFor } from "#http/page.ts";

// Each line under @ts-expect-error must not compile. An expectation without an error fails the type check.

interface Ports {
  readonly greeting: string;
  readonly cursorKeys: ReadKeyRing;
}
const endpoint = { ...endpointsFor<Ports>(), page: pageEndpointFor<Ports>() };
const common = {
  operation: "getX",
  method: "GET",
  path: "/v1/x/{id}",
  summary: "x",
  tag: "X",
  role: "agent",
  data: () => z.object({ n: z.number() }),
} as const;

it("a declaration allows a handler the declared refusals and those of every route, and no other", () => {
  const flow = async (): Promise<{ n: number } | Refusal<"window_closed">> => refuse("window_closed");
  const declared = endpoint.tenant({ ...common, refusals: ["window_closed"], handle: flow });
  expect(declared.refusals).toEqual(["window_closed"]);

  endpoint.tenant({ ...common, handle: async () => refuse("live_key_required") });
  endpoint.caller({ ...common, tenant: "none", role: null, handle: async () => refuse("live_key_required") });
  endpoint.session({ ...common, tenant: "query", handle: async () => refuse("csrf_failed") });
  endpoint.key({ ...common, handle: async () => refuse("live_key_required") });
  endpoint.page({ ...common, scope: "x", handle: async () => refuse("live_key_required") });
  endpoint.public({ ...common, handle: async () => refuse("invalid_request") });
  // @ts-expect-error no refusal is declared
  endpoint.tenant({ ...common, handle: flow });
  // @ts-expect-error another refusal is declared
  endpoint.caller({ ...common, tenant: "resource", refusals: ["send_failed"], handle: flow });
  // @ts-expect-error a route that refuses sessions asks for no CSRF token
  endpoint.key({ ...common, handle: async () => refuse("csrf_failed") });
  // @ts-expect-error a route that refuses keys needs no live key
  endpoint.session({ ...common, tenant: "query", handle: async () => refuse("live_key_required") });
  // @ts-expect-error no refusal is declared
  endpoint.page({ ...common, scope: "x", handle: async () => refuse("window_closed") });
  // @ts-expect-error a route without a key cannot forbid
  endpoint.public({ ...common, handle: async () => refuse("live_key_required") });
  // @ts-expect-error the reason does not exist
  endpoint.tenant({ ...common, refusals: ["no_such_reason"], handle: async () => ({ n: 1 }) });
});

it("a declaration allows a handler the declared data only", () => {
  endpoint.tenant({ ...common, handle: async () => ({ n: 1 }) });
  // @ts-expect-error n is a number
  endpoint.tenant({ ...common, handle: async () => ({ n: "1" }) });
  // @ts-expect-error n is a number
  endpoint.page({ ...common, scope: "x", handle: async () => ({ data: { n: "1" }, next: null }) });
  // @ts-expect-error a page names the position of the next one
  endpoint.page({ ...common, scope: "x", handle: async () => ({ data: { n: 1 } }) });
  // @ts-expect-error without an envelope the handler builds the response
  endpoint.public({ ...common, envelope: false, handle: async () => ({ n: 1 }) });
  expect(() =>
    endpoint.public({
      operation: "x",
      method: "GET",
      path: "/x",
      summary: "x",
      tag: "X",
      handle: async () => refuse("invalid_request"),
    }),
  ).toThrow("GET /x declares no data schema.");
});

it("a declaration has the role of a person wherever it has a tenant", () => {
  const { role, ...withoutRole } = common;
  const handle = async () => ({ n: 1 });
  // @ts-expect-error the role is missing
  endpoint.tenant({ ...withoutRole, handle });
  // @ts-expect-error the role is missing
  endpoint.page({ ...withoutRole, scope: "x", handle: async () => ({ data: { n: 1 }, next: null }) });
  // @ts-expect-error the role is missing
  endpoint.session({ ...withoutRole, tenant: "query", handle });
  // @ts-expect-error nothing checks the role where the resource determines the tenant
  endpoint.caller({ ...common, tenant: "resource", role: "admin", handle });
  // @ts-expect-error there is no role without a tenant
  endpoint.session({ ...common, tenant: "none", role, handle });
  expect(endpoint.session({ ...common, tenant: "none", role: null, handle }).role).toBeNull();
});

it("a declaration types the input of the handler", () => {
  endpoint.page({
    ...common,
    body: () => z.object({ a: z.string() }),
    scope: "x",
    filters: ({ path, body }) => ({ id: path.id, a: body.a }),
    handle: async ({ path, page, body, caller, tenant, ports }) => {
      const texts: string[] = [path.id, body.a, caller.scope, tenant, ports.greeting];
      // @ts-expect-error the path has no such parameter
      texts.push(path.other);
      return { data: { n: page.limit }, next: page.position };
    },
  });
  endpoint.caller({
    ...common,
    tenant: "resource",
    // @ts-expect-error the handler derives the tenant itself
    handle: async ({ caller, body, tenant }) => {
      const absent: undefined = body;
      return { n: [caller.kind, absent, tenant].length };
    },
  });
  endpoint.key({ ...common, handle: async ({ caller, tenant }) => ({ n: [caller.keyId, tenant].length }) });
  endpoint.session({
    ...common,
    tenant: "query",
    handle: async ({ caller, tenant }) => ({ n: [caller.userId, tenant].length }),
  });
  // @ts-expect-error a route without a key has no caller
  endpoint.public({ ...common, handle: async ({ caller }) => ({ n: caller === null ? 0 : 1 }) });
});

it("a declaration names the credential and the source of the tenant", () => {
  const handle = async () => ({ n: 1 });
  const page = endpoint.page({ ...common, scope: "x", handle: async () => ({ data: { n: 1 }, next: null }) });
  expect(
    [
      endpoint.tenant({ ...common, handle }),
      page,
      endpoint.caller({ ...common, tenant: "resource", handle }),
      endpoint.caller({ ...common, tenant: "none", role: null, handle }),
      endpoint.key({ ...common, handle }),
      endpoint.session({ ...common, tenant: "query", role: "owner", handle }),
      endpoint.public({ ...common, handle }),
    ].map(({ auth, tenant, role }) => [auth, tenant, role]),
  ).toEqual([
    ["caller", "query", "agent"],
    ["caller", "query", "agent"],
    ["caller", "resource", "agent"],
    ["caller", "none", null],
    ["key", "query", null],
    ["session", "query", "owner"],
    ["none", "none", null],
  ]);
  expect(page.paged).toBe(true);
});
