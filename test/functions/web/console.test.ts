import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, expect, it } from "vitest";
import { pageHeaders } from "#http/browser/page-files.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import { lambdaHandler } from "#http/lambda.ts";
import { consolePolicy } from "../../../functions/web/console-policy.ts";
import { consolePageRoutes } from "../../../functions/web/console-routes.ts";
import { readConsole } from "../../../functions/web/page-files.ts";
import { createApp } from "../../support/conformance/observed-app.ts";
import { type GatewayRequest, sendByGateway } from "./gateway-request.ts";

const folder = mkdtempSync(join(tmpdir(), "console-"));
afterAll(() => rmSync(folder, { recursive: true }));

const page = "<!doctype html><script type=module src=/app/assets/index-a1b2.js></script>".repeat(20);
const script = "console.log('the console');".repeat(50);
const font = Buffer.from([0x77, 0x4f, 0x46, 0x32, 0x00, 0xff, 0xfe]);
function write(name: string, body: string): void {
  writeFileSync(join(folder, name), body);
  writeFileSync(join(folder, `${name}.br`), brotliCompressSync(body));
  writeFileSync(join(folder, `${name}.gz`), gzipSync(body));
}
mkdirSync(join(folder, "assets"));
write("index.html", page);
write("licenses.txt", "MIT");
write("assets/index-a1b2.js", script);
write("assets/index-c3d4.css", "p { color: red }");
writeFileSync(join(folder, "assets", "inter-e5f6.woff2"), font);

const policy = consolePolicy({
  socket: "wss://live.example",
  storage: "https://files.example",
  media: ["https://*.fbcdn.net"],
});
const handler = lambdaHandler(
  createApp({
    endpoints: consolePageRoutes,
    ports: { console: readConsole(folder), consolePolicy: policy },
    credentials: noCredentials,
    now: () => 0,
    log: () => {},
  }),
  () => {},
);

const get = (path: string, request?: GatewayRequest) => sendByGateway(handler, path, request);

it.each(["/app", "/app/acme", "/app/acme/inbox/instagram/178414/a%2Fb", "/app/unknown.js", "/app/assets"])(
  "the console has its one page at %s, which is revalidated and says what it may load",
  async (path) => {
    const { status, headers, body } = await get(path, { headers: { accept: "text/html" } });
    expect([status, body.toString()]).toEqual([200, page]);
    expect(headers).toMatchObject({
      ...pageHeaders,
      "content-security-policy": policy,
      "cache-control": "no-cache",
      "content-type": "text/html; charset=utf-8",
    });
    const current = await get(path, { headers: { "if-none-match": headers.etag ?? "" } });
    expect([current.status, current.body.length, current.headers.etag]).toEqual([304, 0, headers.etag]);
    expect((await get(path, { headers: { "if-none-match": '"x"' } })).status).toBe(200);
  },
);

it("the console's page may load its own files, call the API, the socket and the storage, and show the platforms' media", () => {
  expect(Object.fromEntries(policy.split("; ").map((part) => part.split(/ (.*)/).slice(0, 2)))).toEqual({
    "default-src": "'none'",
    "script-src": "'self'",
    "worker-src": "'self'",
    "connect-src": "'self' wss://live.example https://files.example",
    "style-src": "'self'",
    "img-src": "'self' blob: https://*.fbcdn.net",
    "media-src": "'self' blob: https://*.fbcdn.net",
    "font-src": "'self'",
    "manifest-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
  });
});

it.each([
  ["/app", page, "no-cache"],
  ["/app/licenses.txt", "MIT", "no-cache"],
  ["/app/assets/index-a1b2.js", script, "public, max-age=31536000, immutable"],
  ["/app/assets/index-c3d4.css", "p { color: red }", "public, max-age=31536000, immutable"],
])(
  "the file at %s is sent as the build compressed it, in the coding that the request accepts",
  async (path, text, age) => {
    const plain = await get(path);
    expect([plain.status, plain.body.toString(), plain.headers["cache-control"]]).toEqual([200, text, age]);
    expect(plain.headers).not.toHaveProperty("content-encoding");
    for (const [accepted, coding, decode] of [
      ["gzip", "gzip", gunzipSync],
      ["gzip, deflate, br", "br", brotliDecompressSync],
      ["br;q=0, gzip", "gzip", gunzipSync],
    ] as const) {
      const { headers, body } = await get(path, { headers: { "accept-encoding": accepted } });
      expect(headers).toMatchObject({ "content-encoding": coding, vary: "accept-encoding", etag: plain.headers.etag });
      expect(decode(body).toString()).toBe(text);
    }
  },
);

it("the font of the console is sent as it is, to every request alike", async () => {
  const { status, headers, body } = await get("/app/assets/inter-e5f6.woff2", {
    headers: { "accept-encoding": "gzip, br" },
  });
  expect([status, body]).toEqual([200, font]);
  expect(headers).toMatchObject({
    "content-type": "font/woff2",
    "cache-control": "public, max-age=31536000, immutable",
  });
  expect(headers).not.toHaveProperty("content-encoding");
  expect(headers).not.toHaveProperty("vary");
});

it.each([
  "/app/assets/index-0000.js",
  "/app/assets/index-a1b2.js.br",
  "/app/assets/../index.html",
  "/app/assets/..%2Findex.html",
  "/app/assets/__proto__",
  "/app/assets/index-a1b2.js/x",
])("the console has no file at %s, also for a browser, and no cache stores that", async (path) => {
  for (const headers of [{}, { accept: "text/html", "if-none-match": "*" }]) {
    const { status, headers: sent, body } = await get(path, { headers });
    expect([status, JSON.parse(body.toString()).error.code]).toEqual([404, "route_not_found"]);
    expect(sent["cache-control"]).toBe("no-store");
  }
});

it("the console answers HEAD without a body, and no other method", async () => {
  for (const path of ["/app", "/app/acme/inbox", "/app/assets/index-a1b2.js"]) {
    const { status, body } = await get(path, { method: "HEAD" });
    expect([status, body.length]).toEqual([200, 0]);
    const post = await get(path, { method: "POST" });
    expect([post.status, post.headers.allow]).toEqual([405, "GET, HEAD"]);
  }
});

it("a function without its console does not start", () => {
  const empty = mkdtempSync(join(folder, "empty-"));
  expect(() => readConsole(empty)).toThrow("The console is missing.");
  mkdirSync(join(empty, "assets"));
  expect(() => readConsole(empty)).toThrow("The console is missing.");
});
