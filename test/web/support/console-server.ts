import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noCredentials } from "#http/credentials/credentials.ts";
import { consolePolicy } from "../../../functions/web/console-policy.ts";
import { consolePageRoutes } from "../../../functions/web/console-routes.ts";
import { readConsole } from "../../../functions/web/page-files.ts";
import { buildConsole } from "../../../web/build.ts";
import { createApp } from "../../support/conformance/observed-app.ts";

export interface ConsoleServer {
  readonly origin: string;
  readonly server: Server;
  close(): void;
}

const notFound: RequestListener = (_request, response) => void response.writeHead(404).end();

/** The built console, as the Web function serves it. @param onOther answers every other path */
export async function startConsoleServer(onOther: RequestListener = notFound): Promise<ConsoleServer> {
  const folder = mkdtempSync(join(tmpdir(), "console-pages-"));
  await buildConsole(folder);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const sources = { socket: `ws://127.0.0.1:${port}`, storage: origin, media: ["https://*.fbcdn.net"] };
  const app = createApp({
    endpoints: consolePageRoutes,
    ports: { console: readConsole(folder), consolePolicy: consolePolicy(sources) },
    credentials: noCredentials,
    now: Date.now,
    log: console.error,
  });
  server.on("request", async (request, response) => {
    if (!/^\/app([/?]|$)/.test(request.url ?? "")) {
      onOther(request, response);
      return;
    }
    const { accept = "", "accept-encoding": coding = "" } = request.headers;
    const headers = { accept, "accept-encoding": String(coding) };
    const answer = await app.fetch(new Request(`${origin}${request.url}`, { headers }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  return {
    origin,
    server,
    close() {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
