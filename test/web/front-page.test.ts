import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HeaderMap } from "#http/header-map.ts";
import { HttpResponse } from "#http/http-response.ts";
import { type FrontPagePorts, frontPage } from "../../functions/api/front-page.ts";
import { docsStyles } from "../../web/docs/build.ts";
import { accessibilityViolations } from "./support/accessibility.ts";
import { layoutProblems } from "./support/layout-problems.ts";
import { openedBrowser, openPage } from "./support/page-visit.ts";

// The front page of a deployment, and that of a local stack, under its policy.

const browser = openedBrowser();
let server: Server;
let origin: string;

beforeAll(async () => {
  const files: Record<string, () => Promise<readonly [number, Record<string, string>, string]>> = {
    "/": () => frontOf({}),
    "/local": () => frontOf({ simulatorUrl: "http://127.0.0.1:8788" }),
    "/docs/docs.css": async () => [200, { "content-type": "text/css" }, docsStyles()],
  };
  server = createServer(async (request, response) => {
    const [status, headers, body] = (await files[request.url ?? ""]?.()) ?? [404, {}, ""];
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function frontOf(ports: Partial<FrontPagePorts>) {
  const headers = new HeaderMap({ accept: "text/html" });
  const page = frontPage({ baseUrl: origin, consoleOrigin: origin, ...ports }, { headers });
  if (!(page instanceof HttpResponse)) throw new Error("The front page is no page.");
  return [page.status, Object.fromEntries(page.headers), Buffer.from(await page.bytes()).toString()] as const;
}

describe.each([1_440, 390, 320])("at %i px", (width) => {
  it.each(["/", "/local"])(
    "the front page at %s is readable, and its lines are no longer than 40 rem",
    async (path) => {
      const viewport = { width, height: 844 };
      const { page, complaints } = await openPage(browser, origin + path, { viewport, bypassCSP: true });
      expect(await layoutProblems(page)).toEqual([]);
      expect(await accessibilityViolations(page)).toEqual([]);
      const main = await page.getByRole("main").boundingBox();
      expect(main?.width).toBe(Math.min(640, width));
      // In the middle of the window.
      expect(main?.x).toBe((width - (main?.width ?? 0)) / 2);
      expect(complaints).toEqual([]);
    },
  );
});

it("the front page of a local stack says that its link to the simulator has no control token", async () => {
  const { page } = await openPage(browser, `${origin}/local`);
  const item = page.getByRole("listitem").filter({ hasText: "Simulator" });
  expect(await item.innerText()).toContain(
    "This link asks for the control token. The one that the terminal printed has it.",
  );
  await page.goto(`${origin}/`);
  expect(await page.getByRole("main").innerText()).not.toMatch(/Simulator|token/);
});
