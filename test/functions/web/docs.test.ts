import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { pageHeaders } from "#http/browser/page-files.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import { lambdaHandler } from "#http/lambda.ts";
import { docsRoutes } from "../../../functions/web/docs-routes.ts";
import { readDocs } from "../../../functions/web/page-files.ts";
import { createApp } from "../../support/conformance/observed-app.ts";
import { type GatewayRequest, sendByGateway } from "./gateway-request.ts";

const BASE_URL = "https://api.example";
const folder = mkdtempSync(join(tmpdir(), "docs-"));
afterAll(() => rmSync(folder, { recursive: true }));

const document = { openapi: "3.1.0", info: { title: "Parley", version: "1" }, paths: {}, servers: [{ url: "/" }] };
const page = "<p>Send it to {{base_url}}/v1, or with {{other}}.</p>".repeat(40);
mkdirSync(join(folder, "guides"));
writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
writeFileSync(join(folder, "index.html"), page);
writeFileSync(join(folder, "guides", "sending.html"), page);
writeFileSync(join(folder, "404.html"), "<p>No page: {{base_url}}.</p>");
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00, 0xc3, 0x28]);
writeFileSync(join(folder, "guides", "inbox.png"), picture);
writeFileSync(join(folder, "docs.css"), "p { color: red }");
const text = "# Send\n\nSend it to {{base_url}}/v1 & wait.\n";
for (const name of ["index.md", join("guides", "sending.md"), "llms.txt", "llms-full.txt"])
  writeFileSync(join(folder, name), text);
writeFileSync(join(folder, "search.json"), "[1]");
writeFileSync(join(folder, "search.json.br"), brotliCompressSync("[1]"));
writeFileSync(join(folder, "search.json.gz"), gzipSync("[1]"));

const serve = (baseUrl: string) =>
  lambdaHandler(
    createApp({
      endpoints: docsRoutes,
      ports: readDocs(folder, baseUrl),
      credentials: noCredentials,
      now: () => 0,
      log: () => {},
    }),
    () => {},
  );
const handler = serve(BASE_URL);

const get = (path: string, request?: GatewayRequest, serving = handler) => sendByGateway(serving, path, request);

it("the OpenAPI document names this deployment as its server, and any page may read it without a credential", async () => {
  const { status, headers, body } = await get("/openapi.json", { headers: { origin: "https://any.example" } });
  expect(status).toBe(200);
  expect(JSON.parse(body.toString())).toEqual({ ...document, servers: [{ url: BASE_URL }] });
  expect(headers).toMatchObject({
    "access-control-allow-origin": "*",
    "cache-control": "public, max-age=300",
    "content-type": "application/json; charset=utf-8",
    vary: "accept-encoding",
  });
  expect(headers).not.toHaveProperty("access-control-allow-credentials");
});

it("a picture is served byte for byte, without a further compression", async () => {
  const answer = await get("/docs/guides/inbox.png", { headers: { "accept-encoding": "br, gzip" } });
  expect(answer.status).toBe(200);
  expect(answer.headers["content-type"]).toBe("image/png");
  expect(answer.headers["content-encoding"]).toBeUndefined();
  expect(answer.body).toEqual(picture);
});

it("the OpenAPI document has the same bytes for every query and every path of requests", async () => {
  const { body, headers } = await get("/openapi.json");
  for (const query of ["x=1", "tenant=a&tenant=b", "cursor=%", "limit=-1", "%ff", "?", "#", "a".repeat(3_000)]) {
    const other = await get("/openapi.json", { query });
    expect([other.status, other.headers.etag, other.body.equals(body)], query).toEqual([200, headers.etag, true]);
  }
});

it.each(["POST", "PUT", "DELETE", "OPTIONS"])("the OpenAPI document refuses %s", async (method) => {
  const { status, headers } = await get("/openapi.json", { method });
  expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
});

it("the OpenAPI document is another document, with another tag, for another deployment", async () => {
  const other = await get("/openapi.json", {}, serve("https://other.example"));
  expect(JSON.parse(other.body.toString()).servers).toEqual([{ url: "https://other.example" }]);
  expect(other.headers.etag).not.toBe((await get("/openapi.json")).headers.etag);
});

describe.each(["/openapi.json", "/docs", "/docs/guides/sending"])("%s", (path) => {
  it("the document is compressed as the request accepts, and always the same content", async () => {
    const plain = await get(path);
    expect(plain.headers).not.toHaveProperty("content-encoding");
    for (const [accepted, coding, decode] of [
      ["gzip", "gzip", gunzipSync],
      ["gzip, deflate, br", "br", brotliDecompressSync],
      ["br;q=0, gzip;q=0.5", "gzip", gunzipSync],
    ] as const) {
      const { headers, body } = await get(path, { headers: { "accept-encoding": accepted } });
      expect(headers).toMatchObject({ "content-encoding": coding, vary: "accept-encoding", etag: plain.headers.etag });
      expect(decode(body)).toEqual(plain.body);
      expect(body.length).toBeLessThan(plain.body.length + 20);
    }
    expect((await get(path, { headers: { "accept-encoding": "gzip;q=0" } })).headers).not.toHaveProperty(
      "content-encoding",
    );
  });

  it("the document is 304 for a copy that is current, in any coding, and only for that", async () => {
    const { headers: first } = await get(path, { headers: { "accept-encoding": "gzip" } });
    const etag = first.etag ?? "";
    for (const current of [etag, etag.replace(/^W\//, ""), `"x", ${etag}`, "*"]) {
      const { status, body, headers } = await get(path, { headers: { "if-none-match": current } });
      const { "cache-control": cacheControl, "content-type": type } = headers;
      expect([status, body.length, headers.etag, cacheControl, type], current).toEqual([
        304,
        0,
        etag,
        first["cache-control"],
        first["content-type"],
      ]);
    }
    for (const outdated of ['"x"', `${etag}x`, ""]) {
      expect((await get(path, { headers: { "if-none-match": outdated } })).status, outdated).toBe(200);
    }
  });

  it("the document answers HEAD without a body", async () => {
    const { status, body } = await get(path, { method: "HEAD" });
    expect([status, body.length]).toEqual([200, 0]);
  });
});

it("a page has the URL of the deployment, escaped, under the policy of every page, and is revalidated", async () => {
  const { headers, body } = await get("/docs/guides/sending", {}, serve('https://a.example/"><b>$&'));
  expect(body.toString()).toContain("Send it to https://a.example/&#34;&#62;&#60;b&#62;$&#38;/v1, or with {{other}}.");
  expect(headers).toMatchObject({
    ...pageHeaders,
    "cache-control": "no-cache",
    "content-type": "text/html; charset=utf-8",
  });
});

it.each([
  ["/docs.md", "text/markdown; charset=utf-8"],
  ["/docs/guides/sending.md", "text/markdown; charset=utf-8"],
  ["/llms.txt", "text/plain; charset=utf-8"],
  ["/llms-full.txt", "text/plain; charset=utf-8"],
])("%s is a text for programs with the URL of the deployment as it is, and is revalidated", async (path, type) => {
  const serving = serve("https://a.example/x?a&b");
  const { status, headers, body } = await get(path, {}, serving);
  expect([status, body.toString()]).toEqual([200, "# Send\n\nSend it to https://a.example/x?a&b/v1 & wait.\n"]);
  expect(headers).toMatchObject({ "content-type": type, "cache-control": "no-cache", vary: "accept-encoding" });
  const current = await get(path, { headers: { "if-none-match": headers.etag ?? "" } }, serving);
  expect([current.status, current.body.length]).toEqual([304, 0]);
  const stale = await get(path, { headers: { "if-none-match": (await get(path)).headers.etag ?? "" } }, serving);
  expect(stale.status).toBe(200);
  expect((await get(path, { method: "POST" })).status).toBe(405);
});

it("the index of the search is served from the copies that the build compressed, which have no address", async () => {
  for (const [accepted, file] of [
    ["br", "search.json.br"],
    ["gzip", "search.json.gz"],
  ] as const) {
    const { headers, body } = await get("/docs/search.json", { headers: { "accept-encoding": accepted } });
    expect([headers["content-encoding"], headers["content-type"]]).toEqual([
      accepted,
      "application/json; charset=utf-8",
    ]);
    expect(body).toEqual(readFileSync(join(folder, file)));
    expect((await get(`/docs/${file}`)).status).toBe(404);
  }
  expect((await get("/docs/search.json")).body.toString()).toBe("[1]");
});

it("a page is served with its style sheet", async () => {
  const { body, headers } = await get("/docs/docs.css");
  expect([body.toString(), headers["content-type"]]).toEqual(["p { color: red }", "text/css; charset=utf-8"]);
});

it.each([
  "/docs/404",
  "/docs/404.html",
  "/docs/index",
  "/docs/index.md",
  "/docs/llms.txt",
  "/docs/openapi.json",
  "/docs/guides",
  "/docs/guides/sending.html",
  "/docs/../ports.ts",
  "/docs/%2e%2e/x",
  "/docs/__proto__",
  "/docs/guides%2Fother",
])("a page is 404 at %s: a page for a browser, the error for a program", async (path) => {
  const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "if-none-match": "*" };
  const shown = await get(path, { headers: browser });
  expect([shown.status, shown.body.toString()]).toEqual([404, `<p>No page: ${BASE_URL}.</p>`]);
  expect(shown.headers).toMatchObject({
    ...pageHeaders,
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
  });
  expect(shown.headers).toHaveProperty("x-correlation-id");
  for (const headers of [{}, { accept: "application/json" }, { accept: "*/*" }]) {
    const { status, body } = await get(path, { headers });
    expect([status, JSON.parse(body.toString()).error.code]).toEqual([404, "route_not_found"]);
  }
});

it("a page has no address that ends with a slash", async () => {
  const { status, body } = await get("/docs/");
  expect([status, JSON.parse(body.toString()).error.code]).toEqual([404, "route_not_found"]);
});

it("a page that no address has answers HEAD without a body, and no other method", async () => {
  const headers = { accept: "text/html" };
  const head = await get("/docs/none", { method: "HEAD", headers });
  expect([head.status, head.body.length]).toEqual([404, 0]);
  const post = await get("/docs/none", { method: "POST", headers });
  expect([post.status, JSON.parse(post.body.toString()).error.code]).toEqual([405, "method_not_allowed"]);
});

it("a function without its documentation does not start", () => {
  const empty = mkdtempSync(join(folder, "empty-"));
  expect(() => readDocs(empty, BASE_URL)).toThrow("The documentation is missing.");
});
