import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { endpointFor } from "../../../functions/http/endpoint.ts";
import { type Refusal, refuse } from "../../../shared/kernel/refusals.ts";

// What must not compile is marked so; a mark that is no longer needed fails the type check.

const endpoint = endpointFor<{ greeting: string }>();
const common = {
  method: "GET",
  path: "/v1/x/{id}",
  summary: "x",
  tag: "X",
  data: z.object({ n: z.number() }),
} as const;

describe("a declaration", () => {
  it("lets a handler give the declared refusals and those of every route, and no other", () => {
    const flow = async (): Promise<{ n: number } | Refusal<"window_closed">> => refuse("window_closed");
    const declared = endpoint({ ...common, auth: "key", tenant: "query", refusals: ["window_closed"], handle: flow });
    expect(declared.refusals).toEqual(["window_closed"]);

    endpoint({ ...common, auth: "key", tenant: "query", handle: async () => refuse("forbidden") });
    endpoint({ ...common, auth: "none", tenant: "none", handle: async () => refuse("invalid_request") });
    // @ts-expect-error no refusal is declared
    endpoint({ ...common, auth: "key", tenant: "query", handle: flow });
    // @ts-expect-error another refusal is declared
    endpoint({ ...common, auth: "key", tenant: "query", refusals: ["send_failed"], handle: flow });
    // @ts-expect-error a route without a key has nobody to forbid
    endpoint({ ...common, auth: "none", tenant: "none", handle: async () => refuse("forbidden") });
    // @ts-expect-error there is no such reason
    endpoint({ ...common, auth: "key", tenant: "query", refusals: ["no_such_reason"], handle: async () => ({ n: 1 }) });
  });

  it("lets a handler give the declared data only", () => {
    endpoint({ ...common, auth: "key", tenant: "query", handle: async () => ({ n: 1 }) });
    // @ts-expect-error n is a number
    endpoint({ ...common, auth: "key", tenant: "query", handle: async () => ({ n: "1" }) });
    // @ts-expect-error without an envelope the handler makes the response
    endpoint({ ...common, auth: "key", tenant: "query", envelope: false, handle: async () => ({ n: 1 }) });
    expect(() =>
      endpoint({
        method: "GET",
        path: "/x",
        auth: "none",
        tenant: "none",
        summary: "x",
        tag: "X",
        handle: async () => refuse("invalid_request"),
      }),
    ).toThrow("GET /x");
  });

  it("types what the handler gets", () => {
    endpoint({
      ...common,
      auth: "key",
      tenant: "query",
      paged: true,
      body: z.object({ a: z.string() }),
      handle: async ({ path, page, body, caller, tenant, ports }) => {
        const texts: string[] = [path.id, body.a, caller.keyId, tenant, ports.greeting];
        // @ts-expect-error the path has no such parameter
        texts.push(path.other);
        return { n: page.limit };
      },
    });
    endpoint({
      ...common,
      auth: "key",
      tenant: "resource",
      handle: async ({ tenant, page, body }) => {
        const nothing: null = tenant ?? page;
        const absent: undefined = body;
        return { n: [nothing, absent].length };
      },
    });
    // @ts-expect-error without a key there is no tenant to find in the query
    endpoint({ ...common, auth: "none", tenant: "query", handle: async () => ({ n: 1 }) });
    expect(endpoint({ ...common, auth: "none", tenant: "none", handle: async () => ({ n: 1 }) }).path).toBe(
      "/v1/x/{id}",
    );
  });
});
