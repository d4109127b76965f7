import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { embedExamples } from "../../../bin/openapi/embed-examples.ts";
import type { ExampleExchange, Examples } from "../../../bin/openapi/examples/exchange.ts";
import { normalizeExamples } from "../../../bin/openapi/examples/normalize.ts";
import { exchangeChecker } from "../../support/conformance/check-exchange.ts";
import { readServedDocument, type Schema } from "../../support/conformance/document.ts";
import { operationFinder } from "../../support/conformance/operations.ts";

const text = readFileSync(new URL("../../../docs/examples.json", import.meta.url), "utf8");
const examples: Examples = JSON.parse(text);
const document = readServedDocument();
const check = exchangeChecker(document, { comparesTexts: true });
const find = operationFinder(document);
const all = Object.entries(examples).flatMap(([operation, { exchanges }]) =>
  exchanges.map((exchange) => ({ operation, ...exchange })),
);

const bytes = (body: unknown) =>
  body === undefined ? Buffer.alloc(0) : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));

it("the recorded examples are of each operation of the document", () => {
  const operations = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId }) => operationId ?? []),
  );
  expect(Object.keys(examples).sort()).toEqual(operations.sort());
  for (const [operation, { exchanges }] of Object.entries(examples)) {
    const names = exchanges.map(({ name }) => name);
    expect(new Set(names).size, operation).toBe(names.length);
  }
});

it.each(all)("$operation, $name: the request and its answer are as the document says", (example) => {
  const { operation, request, response } = example;
  const route = find(request.method, request.path.split("?")[0] ?? "");
  expect(route).toMatchObject({ found: "operation", operation: { operationId: operation } });
  // The file of a page is not recorded.
  const hasNoBody = response.body === undefined && response.headers["content-type"] !== undefined;
  const isFile = request.method === "GET" && hasNoBody;
  const problems = check({
    method: isFile ? "HEAD" : request.method,
    url: request.path,
    requestHeaders: new Headers(request.headers),
    requestBody: request.body === undefined ? null : bytes(request.body),
    status: response.status,
    headers: new Headers({ "x-correlation-id": "c", ...oneLineHeaders(response.headers) }),
    body: bytes(response.body),
  });
  expect(withoutLocalOnly(problems)).toEqual([]);
});

it("the recorded examples have no secret, no path and no port of the machine that recorded them", () => {
  const secrets = [
    /svc_(live|test)_(?!0{4})\w+/,
    /whs_(?!ZXhhbXBs)\w+/,
    /eyJ(?!leGFtcGxl)[\w-]{10,}\./,
    /\b127\.0\.0\.1|localhost/,
  ];
  const machine = [/\/(tmp|home|root|Users|work)\//, /parleydata/, /@local/];
  for (const pattern of [...secrets, ...machine]) expect(text.match(pattern)?.[0]).toBeUndefined();
});

/** What the document does not require of a recording: headers that examples do not show. */
function withoutLocalOnly(problems: readonly string[]): string[] {
  return problems.filter((problem) => !/^the header \S+ is missing$/.test(problem));
}

function oneLineHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replaceAll("\n", ", ")]));
}

const exchange = (rest: Partial<ExampleExchange> = {}): ExampleExchange => ({
  name: "one",
  summary: "One",
  request: { method: "GET", path: "/things/a%23b?size=2", headers: {} },
  response: { status: 200, headers: { "content-type": "application/json" }, body: { ok: true } },
  ...rest,
});

it("an operation of the document gets its examples where OpenAPI has them", () => {
  const failure = {
    name: "gone",
    summary: "Gone",
    request: exchange().request,
    response: { status: 404, headers: {}, body: {} },
  };
  const operation = {
    operationId: "getThing",
    parameters: [
      { name: "id", in: "path", schema: { type: "string" } },
      { name: "size", in: "query", schema: { type: "integer" } },
      { $ref: "#/components/parameters/TenantSlug" },
    ],
    responses: { 200: { description: "", content: { "application/json": { schema: {} } } }, 404: { $ref: "#/r" } },
  };
  const paths = { "/things/{id}": { get: operation } };
  const { paths: embedded } = embedExamples({ paths }, { getThing: { exchanges: [exchange(), failure] } }) as Schema;
  const { get } = embedded["/things/{id}"];
  expect(get.parameters.map((parameter: Schema) => parameter.example)).toEqual(["a#b", 2, undefined]);
  expect(get.responses[200].content["application/json"].examples).toEqual({
    one: { summary: "One", value: { ok: true } },
  });
  expect(get.responses[404]).toEqual({ $ref: "#/r" });
  expect(get["x-examples"]).toEqual([exchange(), failure]);
});

it("two recordings of the same answers are equal once ids, times and secrets are normalized", () => {
  const recorded = (id: string, at: number, port: number, secret: string) =>
    normalizeExamples(
      {
        getThing: {
          exchanges: [
            exchange({
              request: {
                method: "GET",
                path: `/things/${id}`,
                headers: { authorization: `Bearer svc_live_${secret}` },
              },
              response: {
                status: 200,
                headers: {},
                body: {
                  id: `th_${id}`,
                  at,
                  iso: new Date(at + 3_600_000).toISOString(),
                  url: `http://127.0.0.1:${port}/x`,
                },
              },
            }),
          ],
        },
      },
      { startedAt: at - 1_000, texts: { [`http://127.0.0.1:${port}`]: "https://parley.example" } },
    );
  const first = recorded("01M83XJFG7982QPVPJ7KT2JXSW", Date.parse("2026-05-04T10:00:01Z"), 4000, "a".repeat(49));
  expect(first).toEqual(
    recorded("01M86KDAJ3YX2XS7Z97136R3Q0", Date.parse("2027-07-01T10:03:07Z"), 5000, "b".repeat(49)),
  );
  expect(first.getThing?.exchanges[0]?.response.body).toEqual({
    id: "th_01KJQ3ZQ000000000000000001",
    at: Date.parse("2026-03-02T10:00:00Z"),
    iso: "2026-03-02T11:00:00.000Z",
    url: "https://parley.example/x",
  });
});
