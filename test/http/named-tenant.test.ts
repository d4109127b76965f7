import { expect, it } from "vitest";
import { namedTenant } from "#http/credentials/named-tenant.ts";

const bytes = (body: unknown) => Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
const request = { query: "", path: {}, bytes: bytes("") };
const conversation = "CONV#acme#instagram#1#2";

it("the named tenant is that of ?tenant=, of the path and of a conversation's id", () => {
  expect(namedTenant({ tenant: "query" }, { ...request, query: "limit=1&tenant=acme" })).toBe("acme");
  expect(namedTenant({ tenant: "resource", namesTenant: "slug" }, { ...request, path: { slug: "acme" } })).toBe("acme");
  const inBody = { tenant: "resource", namesTenant: "conversation_id" } as const;
  expect(namedTenant(inBody, { ...request, bytes: bytes({ conversation_id: conversation }) })).toBe("acme");
  const aliased = { ...inBody, aliases: { conversationId: "conversation_id" } };
  expect(namedTenant(aliased, { ...request, bytes: bytes({ conversationId: conversation }) })).toBe("acme");
});

it.each(["", "tenant=", "tenant=Acme!", "tenant=acme&tenant=other", "tenant=%"])(
  "the query %j names no tenant",
  (query) => {
    expect(namedTenant({ tenant: "query" }, { ...request, query })).toBeNull();
  },
);

it.each([
  "",
  "{",
  "null",
  "[]",
  '"CONV#acme#instagram#1#2"',
  '{"conversation_id":1}',
  '{"conversation_id":"CONV#acme"}',
])("the body %j names no tenant", (body) => {
  const route = { tenant: "resource", namesTenant: "conversation_id" } as const;
  expect(namedTenant(route, { ...request, bytes: bytes(body) })).toBeNull();
});

it("no tenant is read where the route names none", () => {
  const all = { query: "tenant=acme", path: { slug: "acme" }, bytes: bytes({ conversation_id: conversation }) };
  expect(namedTenant({ tenant: "resource" }, all)).toBeNull();
  expect(namedTenant({ tenant: "none" }, all)).toBeNull();
});
