import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PageFile } from "#base/files/page-file.ts";
import { HOUR } from "#base/kernel/time.ts";
import { confirmSignInPage, INVALID_LINK_PAGE, invalidLinkPage } from "#features/access/routes/sign-in/pages.ts";
import { dataDeletionPage } from "#features/accounts/routes/data-deletion-page.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { languageOf, pageInLanguage } from "#http/browser/localized-pages.ts";
import { pageHeaders } from "#http/browser/page-files.ts";
import { HeaderMap } from "#http/header-map.ts";
import { HttpResponse } from "#http/http-response.ts";
import { readDataDeletionPage, readLoginStartPage } from "../../../../functions/connect/page-files.ts";
import { readSignInPage } from "../../../../functions/console/page-files.ts";
import { buildDataDeletionPage, buildLoginStartPage, buildSignInPage } from "../../../../web/build.ts";
import { auditOf } from "../../../features/access/store/support/team-samples.ts";
import { openLoginFixture } from "../../../features/accounts/routes/support/login-fixture.ts";
import { PSEUDO_LOCALE, pseudoPage } from "../../../web/support/pseudo-locale.ts";

/** What a request for a sign-in link gets; "hang" is no answer at all. */
type LinkAnswer = { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | "drop" | "hang";

export interface PageServer {
  readonly origin: string;
  /** The next requests for a sign-in link get it. */
  linkAnswer: LinkAnswer;
  close(): Promise<void>;
}

/** Names as long as people may give them. */
const LONG_NAME = "Hafenschneiderei Lindqvist-Ostermann & Töchter, Maßanfertigung";
const LONG_ADDRESS = "maximiliane.lindqvist-ostermann@hafenschneiderei-lindqvist.example.com";

/** Serves the pages for people outside the console, as the built pages and the code of their functions answer. */
export async function startPageServer(): Promise<PageServer> {
  const folder = mkdtempSync(join(tmpdir(), "localized-pages-"));
  const files = buildPages(folder);
  const fixture = await openLoginFixture();
  const members = { instagram: await openMember("console"), messenger: await openMember("cli") };
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const pageServer: PageServer = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    linkAnswer: { status: 200 },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await fixture.testEnv.close();
      rmSync(folder, { recursive: true });
    },
  };
  return pageServer;

  /** An admin of a workspace with a long name. @param inviter who invited them */
  async function openMember(inviter: "console" | "cli") {
    const owner = await fixture.newMember("owner");
    const change = { audit: auditOf("tenant.update"), actor: null };
    await tenantStore(fixture.testEnv.table).change(owner.tenant, { name: LONG_NAME }, change);
    return fixture.newMember("admin", owner.tenant, inviter === "cli" ? "cli" : owner.actorId);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", pageServer.origin);
    if (request.method === "POST") return answerLinkRequest(response);
    const isPseudo = request.headers["accept-language"]?.startsWith(PSEUDO_LOCALE) ?? false;
    const headers = new HeaderMap({ "accept-language": isPseudo ? "en" : (request.headers["accept-language"] ?? "") });
    const page = await pageAt(pathname, headers);
    const body = Buffer.from(await page.bytes());
    const isPage = page.headers.get("content-type")?.startsWith("text/html");
    response.writeHead(page.status, Object.fromEntries(page.headers));
    response.end(isPseudo && isPage ? pseudoPage(body.toString()) : body);
  }

  function answerLinkRequest(response: ServerResponse): void {
    const { linkAnswer } = pageServer;
    if (linkAnswer === "hang") return;
    if (linkAnswer === "drop") return void response.destroy();
    const { status, headers } = linkAnswer;
    response.writeHead(status, headers).end(JSON.stringify({ ok: status === 200, data: { sent: true } }));
  }

  async function pageAt(path: string, headers: HeaderMap): Promise<HttpResponse> {
    const [, platform, deletion] =
      /^\/oauth\/(instagram|messenger)\/start$|^\/platform\/data-deletion\/(\w+)$/.exec(path) ?? [];
    if (platform) return startOf(platform as keyof typeof members, headers);
    if (deletion) return dataDeletionPage(files, deletionOf(deletion), headers);
    if (path === INVALID_LINK_PAGE) return invalidLinkPage(files, 401, headers);
    if (path.startsWith("/confirm/")) return confirmPage(path.endsWith("/other"), headers);
    const file = files.get(pageInLanguage(path, languageOf(headers))) ?? files.get(path);
    if (!file) return new HttpResponse(null, { status: 404 });
    return new HttpResponse(file.body, { headers: { ...pageHeaders, "content-type": file.type } });
  }

  /** The page before a login, which a link of another site opened. */
  async function startOf(platform: keyof typeof members, headers: HeaderMap): Promise<HttpResponse> {
    const asked = { ...members[platform].headers, ...Object.fromEntries(headers), "sec-fetch-site": "cross-site" };
    const app = fixture.openApp({ pageFiles: files });
    const response = await app.request(`/oauth/${platform}/start`, { headers: { ...asked, accept: "text/html" } });
    return new HttpResponse(await response.text(), { status: response.status, headers: response.headers });
  }

  function confirmPage(isOther: boolean, headers: HeaderMap): HttpResponse {
    const other = isOther ? LONG_ADDRESS : null;
    const link = { email: LONG_ADDRESS, isOwnBrowser: false, otherPerson: other, token: "token" };
    return confirmSignInPage({ pageFiles: files, consoleOrigin: pageServer.origin }, link, headers);
  }

  function deletionOf(name: string) {
    const [code, requestedAt] = ["code", Date.UTC(2026, 8, 30, 21, 45)];
    if (name === "running") return { code, status: "running", requestedAt, doneAt: null } as const;
    if (name === "done") return { code, status: "done", requestedAt, doneAt: requestedAt + HOUR } as const;
    return null;
  }
}

function buildPages(folder: string): ReadonlyMap<string, PageFile> {
  const [signIn, start, deletion] = ["sign-in", "login-start", "data-deletion"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  buildSignInPage(signIn);
  buildLoginStartPage(start);
  buildDataDeletionPage(deletion);
  return new Map([...readSignInPage(signIn), ...readLoginStartPage(start), ...readDataDeletionPage(deletion)]);
}
