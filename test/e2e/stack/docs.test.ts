import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { openSharedStack } from "../support/local-stack.ts";

const stack = openedOnce(openSharedStack);

it("a stack serves its OpenAPI document and its documentation, with its own address and without a key", async () => {
  const { base_url } = stack.info;
  const first = await fetch(`${base_url}/openapi.json?any=1&any=2`);
  // Pages of other origins read it from a deployment only.
  expect([first.status, first.headers.get("access-control-allow-origin")]).toEqual([200, null]);
  expect(await first.json()).toMatchObject({ openapi: "3.1.0", servers: [{ url: base_url }] });
  const etag = first.headers.get("etag") ?? "";
  expect((await fetch(`${base_url}/openapi.json`, { headers: { "if-none-match": etag } })).status).toBe(304);

  const page = await fetch(`${base_url}/docs/reference/messages`);
  expect([page.status, page.headers.get("content-encoding")]).toEqual([200, "gzip"]);
  expect(await page.text()).toContain(`${base_url}/v1/messages/reply`);
  for (const path of [
    "/docs",
    "/docs/docs.css",
    "/docs/docs.js",
    "/docs/theme.js",
    "/docs/search.json",
    "/docs/search-worker.js",
    "/docs/guides/sending.md",
    "/docs.md",
    "/llms.txt",
    "/llms-full.txt",
    "/docs/icon.svg",
  ]) {
    expect((await fetch(base_url + path)).status, path).toBe(200);
  }
  const browser = await fetch(`${base_url}/docs/none`, { headers: { accept: "text/html,*/*;q=0.8" } });
  expect([browser.status, browser.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  expect(await browser.text()).toContain('<a href="/docs">');
  for (const path of ["/docs/none", "/docs/../index.mjs", "/docs/%2e%2e/index.mjs", "/openapi.json/x"]) {
    expect((await fetch(base_url + path)).status, path).toBe(404);
  }
});
