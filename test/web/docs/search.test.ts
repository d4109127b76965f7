import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildDocs } from "../../../web/docs/build.ts";
import type { CompactIndex } from "../../../web/docs/search/compact-index.ts";
import { openSearch } from "../../../web/docs/search/find.ts";

// The search as it is deployed: the file of its index, opened as its worker opens it.

const KILOBYTE = 1_000;
const folder = mkdtempSync(join(tmpdir(), "docs-search-"));
const bytes = (name: string) => readFileSync(join(folder, name));
let file: CompactIndex;
let find: ReturnType<typeof openSearch>;

beforeAll(() => {
  buildDocs(folder);
  file = JSON.parse(bytes("search.json").toString());
  find = openSearch(file);
});
afterAll(() => rmSync(folder, { recursive: true }));

const addresses = (query: string) => find(query).map(([, , href]) => href);

describe("the right page is first", () => {
  it.each([
    ["participant_handle", "/docs/reference/conversations#listConversations.participant_handle"],
    ["participant_ha", "/docs/reference/conversations#listConversations.participant_handle"],
    ["verify signature", "/docs/guides/webhooks#verify-the-signature"],
    ["signature verification", "/docs/guides/webhooks#verify-the-signature"],
    ["signature verificat", "/docs/guides/webhooks#verify-the-signature"],
    ["retry", "/docs/guides/delivery"],
    ["retries", "/docs/guides/delivery"],
    ["window_closed", "/docs/errors#window_closed"],
    ["window closed", "/docs/errors#window_closed"],
    ["Deploy", "/docs/operate/deploy"],
    ["deployment", "/docs/operate/deploy"],
    ["deploying", "/docs/operate/deploy"],
    ["quick start", "/docs/guides/quick-start"],
    ["pagination", "/docs/guides/pagination"],
    ["idempotency", "/docs/guides/idempotency"],
    ["limits", "/docs/guides/limits"],
    ["testing", "/docs/guides/testing"],
    ["local stack", "/docs/operate/local-stack"],
    ["simulator", "/docs/operate/simulator"],
    ["client", "/docs/guides/client"],
    ["sendReply", "/docs/reference/messages#sendReply"],
    ["message.received", "/docs/reference/events#message.received"],
    ["parley-ignored", "/docs/guides/keys#unknown-parameters-and-fields"],
    ["Parley-Ign", "/docs/guides/keys#unknown-parameters-and-fields"],
    ["Svc-Signature", "/docs/reference/events#headers.Svc-Signature"],
  ])("the search for “%s” finds %s", (query, href) => {
    expect(addresses(query)[0]).toBe(href);
  });
});

it("the search finds a misspelled word, words of the text alone, and nothing for what no page has", () => {
  expect(addresses("pagnation")).toContain("/docs/guides/pagination");
  expect(addresses("jitter")).toContain("/docs/guides/delivery#attempts");
  expect(addresses("zzyzx")).toEqual([]);
  expect(addresses("  ")).toEqual([]);
  expect(addresses("<script>")).toEqual(expect.any(Array));
});

it("the search has entries whose pages, sections and fields exist", () => {
  const markup = new Map<string, string>();
  const pageOf = (path: string) => {
    if (!markup.has(path))
      markup.set(path, bytes(`${path === "/docs" ? "index" : path.slice("/docs/".length)}.html`).toString());
    return markup.get(path) ?? "";
  };
  const broken = file.entries.flatMap(([title, , href]) => {
    const [path = "", anchor] = href.split("#");
    const page = pageOf(path);
    if (anchor === undefined || page.includes(` id="${anchor}"`)) return [];
    const section = anchor.slice(0, -title.length - 1);
    const hasField = page.includes(` id="${section}"`) && page.includes(`<code class="name">${title}</code>`);
    return hasField && anchor === `${section}.${title}` ? [] : [href];
  });
  expect(broken).toEqual([]);
  expect(file.entries.length).toBeGreaterThan(600);
});

it("the search costs less than 60 KB compressed: its index and its worker", () => {
  const worker = gzipSync(bytes("search-worker.js")).length;
  expect(bytes("search.json.br").length + worker).toBeLessThan(60 * KILOBYTE);
  expect(bytes("search.json.gz").length + worker).toBeLessThan(60 * KILOBYTE);
});

it("the search has copies of its index that are the index, and the license of its library", () => {
  const index = bytes("search.json").toString();
  expect(brotliDecompressSync(bytes("search.json.br")).toString()).toBe(index);
  expect(gunzipSync(bytes("search.json.gz")).toString()).toBe(index);
  expect(bytes("search-worker.js").toString()).toContain("/docs/licenses.txt");
  expect(bytes("licenses.txt").toString()).toMatch(/MiniSearch[\s\S]*Permission is hereby granted/);
});
