import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { mark } from "#base/kernel/text/mark.ts";
import { HeaderMap } from "#http/header-map.ts";
import { HttpResponse } from "#http/http-response.ts";
import { frontPage } from "../../functions/api/front-page.ts";
import { buildCheckPage, buildDataDeletionPage, buildLoginStartPage, buildSignInPage } from "../../web/build.ts";

// The pages outside the console have Parley's sign, and an icon, so that a browser asks for no /favicon.ico.

const ROOT = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "mark-"));
const ICON = '<link rel="icon" href="/docs/icon.svg">';
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
/** The shapes of a drawing, without its colors. */
const shapes = (source: string) => [...source.matchAll(/ d=["']([^"']+)["']/g)].map(([, path]) => path);

beforeAll(() => {
  for (const build of [buildCheckPage, buildDataDeletionPage, buildLoginStartPage, buildSignInPage])
    build(join(folder, build.name));
});
afterAll(() => rmSync(folder, { recursive: true }));

it("every page for people outside the console begins with the sign and names the icon, in each language", () => {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  expect(names.length).toBeGreaterThan(25);
  for (const name of names) {
    const page = readFileSync(join(folder, name), "utf8");
    expect(page.split("<main>")[1]?.trim().startsWith(mark.markup), name).toBe(true);
    expect(page, name).toContain(ICON);
  }
});

it("the front page of a deployment has the sign and the icon", async () => {
  const ports = { baseUrl: "https://api.example", consoleOrigin: "https://api.example" };
  const page = frontPage(ports, { headers: new HeaderMap({ accept: "text/html" }) });
  const text = page instanceof HttpResponse ? Buffer.from(await page.bytes()).toString() : "";
  expect(text).toContain(mark.markup);
  expect(text).toContain(ICON);
});

it("the mailbox of the local stack has the sign and an icon that its policy allows", () => {
  const page = read("packages/local-aws/src/mailbox/page/index.html");
  // The package of the mailbox names no product: its sign is only a drawing.
  expect(page).toContain(mark.markup.replace('role="img" aria-label="Parley"', 'aria-hidden="true"'));
  expect(shapes(decodeURIComponent(/rel="icon" href="data:image\/svg\+xml,([^"]+)"/.exec(page)?.[1] ?? ""))).toEqual(
    shapes(mark.markup),
  );
});

it.each(["web/console/ui/mark.tsx", "web/docs/page/icon.svg"])("the sign has the same shapes in %s", (path) => {
  expect(shapes(mark.markup)).toHaveLength(2);
  expect(shapes(read(path))).toEqual(shapes(mark.markup));
});
