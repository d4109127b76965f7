import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noCredentials } from "#http/credentials/credentials.ts";
import { docsRoutes } from "../../../functions/web/docs-routes.ts";
import { readDocs } from "../../../functions/web/page-files.ts";
import { buildDocs } from "../../../web/docs/build.ts";
import { createApp } from "../../support/conformance/observed-app.ts";

export interface DocsServer {
  readonly origin: string;
  /** The paths of every page. */
  readonly paths: readonly string[];
  close(): void;
}

/** The built documentation, as the Web function serves it. */
export async function startDocsServer(): Promise<DocsServer> {
  const folder = mkdtempSync(join(tmpdir(), "docs-pages-"));
  buildDocs(folder);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ports = readDocs(folder, origin);
  const app = createApp({
    endpoints: docsRoutes,
    ports,
    credentials: noCredentials,
    now: Date.now,
    log: console.error,
  });
  server.on("request", async (request, response) => {
    const answer = await app.fetch(
      new Request(`${origin}${request.url}`, { headers: { accept: request.headers.accept ?? "" } }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  return {
    origin,
    paths: [...ports.pages.keys()].filter((path) => ports.pages.get(path)?.type.startsWith("text/html")),
    close() {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
