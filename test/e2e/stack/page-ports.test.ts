import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { testBrowser } from "../../web/support/browser.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { openStackPorts } from "./support/stack-ports.ts";

const stack = openedOnce(openSharedStack);
const services = openedOnce(() => openStackPorts(stack));

describe("a page in the browser of this machine", () => {
  let page: Page;
  let close: () => void;
  beforeAll(async () => {
    const site = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<title>Another site</title>");
    }).listen(0, "127.0.0.1");
    await once(site, "listening");
    close = () => site.close();
    page = await (await testBrowser()).newPage();
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  });
  afterAll(async () => {
    await page?.close();
    close?.();
  });

  /** Tries each port in each way of a page. Returns what it could read, and the sockets that opened. */
  async function readable(hostName: string, tried = services.ports): Promise<string[]> {
    const calls = services
      .attacks()
      .map(({ path, headers, body, method = "POST" }) => ({ path, headers, body, method }));
    return await page.evaluate(
      async ({ ports: numbers, calls: each, name }) => {
        const successes: string[] = [];
        const attempt = async (label: string, url: string, init: RequestInit) => {
          const answer = await fetch(url, init).catch(() => null);
          if (answer !== null && answer.type !== "opaque" && answer.status !== 403) successes.push(label);
        };
        for (const port of numbers) {
          const origin = `http://${name}:${port}`;
          await attempt(`GET ${port}`, origin, {});
          for (const { path, method, headers, body } of each) {
            const content = body === undefined ? {} : { body };
            await attempt(`${method} ${port}${path}`, origin + path, { method, headers: headers ?? {}, ...content });
            await attempt(`simple ${port}${path}`, origin + path, { method: "POST", mode: "no-cors", ...content });
          }
          const isOpen = await new Promise<boolean>((resolve) => {
            const socket = new WebSocket(`ws://${name}:${port}/live?ticket=x`);
            socket.onopen = () => resolve(true);
            socket.onerror = () => resolve(false);
          });
          if (isOpen) successes.push(`socket ${port}`);
        }
        return successes;
      },
      { ports: tried, calls, name: hostName },
    );
  }

  it("a page in the browser of this machine of another site reads nothing from any port and changes nothing", async () => {
    const before = await services.settledContents();
    for (const name of ["127.0.0.1", "localhost"]) expect(await readable(name)).toEqual([]);
    expect(await services.contents()).toEqual(before);
  });

  it("a page in the browser of this machine whose name was pointed at a port is answered with 403", async () => {
    const before = await services.settledContents();
    for (const port of services.ports) {
      // A browser resolves each name below localhost to this machine.
      const answer = await page.goto(`http://evil.localhost:${port}/`);
      expect([port, answer?.status()]).toEqual([port, 403]);
      expect(await readable("evil.localhost", [port])).toEqual([]);
    }
    expect(await services.contents()).toEqual(before);
  });

  it("a page in the browser of this machine of the API itself reads its own port", async () => {
    await page.goto(`${stack.info.base_url}/docs`);
    expect(await page.evaluate(async () => (await fetch("/health")).status)).toBe(200);
  });
});
