import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sealCursor } from "#base/kernel/cursors.ts";
import { cursorScope } from "#http/page.ts";
import { repetitions } from "../support/sampling.ts";
import { oneKeyRing } from "../support/world/key-rings.ts";
import {
  createTestApp,
  NOW,
  operatorAuth,
  readVerdict,
  sampleCursorKeys,
  samplePorts,
  tenantAuth,
  tenantFromSlug,
} from "./support/sample-routes.ts";

const { app } = createTestApp();
const get = (query: string, headers: Record<string, string> = tenantAuth) =>
  app.request(`/v1/things${query}`, { headers });
const responseData = async (query: string, headers: Record<string, string> = tenantAuth) =>
  (
    (await (await get(query, headers)).json()) as {
      data: { things: number[]; limit: number; next_cursor: string | null };
    }
  ).data;

it.each([
  ["", 50],
  ["?limit=1", 1],
  ["?limit=100", 100],
  ["?limit=101", 100],
  ["?limit=99999999999999999999999", 100],
  ["?limit=007", 7],
])("%s gives pages of %i", async (query, limit) => {
  expect((await responseData(query)).limit).toBe(limit);
});

it.each(["0", "-1", "1.5", "1e3", "50%20", "%2050", "+50", "", "NaN", "Infinity", "0x10", "١", "50,50", "null", "%00"])(
  "limit=%s is 400 invalid_request",
  async (limit) => {
    expect(await readVerdict(get(`?limit=${limit}`))).toEqual([
      400,
      "invalid_request",
      "limit: must be an integer from 1 to 100",
    ]);
  },
);

it("limit accepts digits only", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "binary" }).filter((text) => !/^[0-9]+$/.test(text)),
      async (text) => {
        expect((await readVerdict(get(`?limit=${encodeURIComponent(text)}`)))[0]).toBe(400);
      },
    ),
    { numRuns: repetitions({ whole: 60, sample: 20 }) },
  );
});

describe("parameters", () => {
  it.each([
    "?limit=1&limit=1",
    "?cursor=a&cursor=a",
    "?direction=inbound&direction=outbound",
    "?include_test=true&include%5Ftest=true",
  ])("%s is 400 because a parameter is repeated", async (query) => {
    expect(await readVerdict(get(query))).toEqual([400, "invalid_request", "query: must not repeat a parameter"]);
  });

  it.each(["?direction=echo", "?direction=", "?direction=canary", "?direction=%ff"])(
    "%s is 400 and not echoed",
    async (query) => {
      expect(await readVerdict(get(query))).toEqual([
        400,
        "invalid_request",
        "direction: must be one of inbound, outbound",
      ]);
    },
  );

  it.each([
    ["?include_test=true", 200],
    ["?include_test=false", 200],
    ["?include_test=1", 400],
    ["?include_test=TRUE", 400],
    ["?include_test=", 400],
  ])("%s is %i", async (query, status) => {
    expect((await readVerdict(get(query)))[0]).toBe(status);
  });

  it.each(["?unknown=1", "?__proto__=1", "?constructor=1", "?%", "?=&=", "?%E0%A4%A=1", "?&&&"])(
    "%s is ignored",
    async (query) => {
      expect((await readVerdict(get(query)))[0]).toBeLessThan(500);
      if (query !== "?=&=") expect((await readVerdict(get(query)))[0]).toBe(200);
    },
  );
});

it("cursor visits every row once and is null on the last page", async () => {
  const limits: number[] = [];
  let cursor: string | null = null;
  do {
    const page = await responseData(`?limit=50${cursor === null ? "" : `&cursor=${cursor}`}`);
    limits.push(...page.things);
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(limits).toEqual(Array.from({ length: samplePorts.rows }, (_, i) => i));
});

it("cursor is valid with another limit", async () => {
  const { next_cursor } = await responseData("?limit=50");
  expect((await responseData(`?limit=2&cursor=${next_cursor}`)).things).toEqual([50, 51]);
});

it("cursor is 400 when truncated, altered at any position, or of another tenant, filter, route or key", async () => {
  const { next_cursor } = await responseData("?limit=50");
  const cursor = next_cursor ?? "";
  expect(cursor).not.toBe("");
  const scope = cursorScope("GET /v1/things", tenantFromSlug("acme"), { include_test: false });
  const detail = "cursor: must be the next_cursor of an earlier response to the same query";
  const refused = async (query: string, headers: Record<string, string> = tenantAuth) =>
    expect(await readVerdict(get(query, headers)), query).toEqual([400, "invalid_request", detail]);

  expect(sealCursor(sampleCursorKeys, scope, "50", NOW)).toBe(cursor);
  for (let i = 0; i < cursor.length; i++) {
    const flipped = cursor.slice(0, i) + (cursor[i] === "A" ? "B" : "A") + cursor.slice(i + 1);
    await refused(`?cursor=${flipped}`);
    await refused(`?cursor=${cursor.slice(0, i)}`);
  }
  await refused(`?cursor=${cursor}&direction=inbound`);
  await refused(`?cursor=${cursor}&include_test=true`);
  await refused(`?cursor=${cursor}&tenant=globex`, operatorAuth);
  await refused(`?cursor=${cursor}`, { authorization: "Bearer other" });
  await refused(`?cursor=${"A".repeat(10_000)}`);
  await refused(`?cursor=${cursor}=`);
  await refused("?cursor=%00");
  await refused("?cursor=%F0%9F%98%80");
  await refused(
    `?cursor=${sealCursor(sampleCursorKeys, cursorScope("GET /v1/others", tenantFromSlug("acme")), "50", NOW)}`,
  );
  await refused(`?cursor=${sealCursor(oneKeyRing(new Uint8Array(32)), scope, "50", NOW)}`);
});

it("cursor has the same scope for any order of the filters, without absent ones", () => {
  const acme = tenantFromSlug("acme");
  expect(cursorScope("r", acme, { a: "1", b: true })).toBe(cursorScope("r", acme, { b: true, c: undefined, a: "1" }));
  expect(cursorScope("r", acme, { a: "1" })).not.toBe(cursorScope("r", acme, { a: "2" }));
  expect(cursorScope("r", acme, { a: "1" })).not.toBe(cursorScope("r", acme, { b: "1" }));
});
