import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pageHeaders } from "#http/browser/page-files.ts";
import { readConnectPage } from "../../../functions/connect/page-files.ts";
import { readSignInPage } from "../../../functions/console/page-files.ts";
import { buildConnectPage, buildSignInPage } from "../../../web/build.ts";

// A test double of the API: the built pages under their policy, and the routes that the page calls.

export const instagram = {
  account_key: "instagram#17841400000000001",
  platform: "instagram",
  external_id: "17841400000000001",
  handle: "harbor.tailors",
  display_name: "Harbor Tailors",
  page_id: null as string | null,
  status: "active",
  status_detail: null as string | null,
  refresh_error: null as string | null,
  last_refreshed_at: "2026-11-12T14:05:00.000Z" as string | null,
  human_agent_blocked_at: null as string | null,
};
export type AccountRow = typeof instagram;

export const messenger: AccountRow = {
  ...instagram,
  account_key: "messenger#102",
  platform: "messenger",
  external_id: "102",
  handle: "harbortailors",
  display_name: "Harbor Tailors & Sons",
  page_id: "102",
  last_refreshed_at: null,
};

export interface PageRow {
  readonly page_id: string;
  readonly name: string;
  readonly messenger: { readonly account_key: string; readonly connected: boolean };
  readonly instagram: { readonly account_key: string; readonly username: string; readonly connected: boolean } | null;
}

export const offeredPage = (id: string, name: string, instagramId: string | null): PageRow =>
  ({
    page_id: id,
    name,
    messenger: { account_key: `messenger#${id}`, connected: false },
    instagram: instagramId && { account_key: `instagram#${instagramId}`, username: "harbor.tailors", connected: false },
  }) as PageRow;

/** A response to a write: its status and error code. "drop" does the work and breaks off the response. */
export type WriteAnswer = "ok" | "drop" | { readonly status: number; readonly code: string; readonly detail?: string };

export interface ConnectServer {
  readonly origin: string;
  isSignedIn: boolean;
  /** Of the signed-in person. */
  email: string;
  workspaces: { id: string; name: string; role: string; invited_by_email?: string | null }[];
  accounts: Record<string, AccountRow[]>;
  pages: PageRow[] | { status: number; code: string };
  /** What a selection connects. */
  selected: AccountRow[];
  writeAnswer: WriteAnswer;
  /** Status of reads of accounts. */
  accountsStatus: number;
  /** Writes: method, path with query, CSRF token, body. */
  writes: unknown[];
  reset(): void;
  close(): void;
}

export async function startConnectServer(): Promise<ConnectServer> {
  const folder = mkdtempSync(join(tmpdir(), "connect-page-"));
  buildConnectPage(join(folder, "connect"));
  buildSignInPage(join(folder, "sign-in"));
  const files = new Map([...readConnectPage(join(folder, "connect")), ...readSignInPage(join(folder, "sign-in"))]);
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: ConnectServer = {
    origin,
    ...initialState(),
    reset: () => void Object.assign(state, initialState()),
    close() {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
  return state;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search, searchParams } = new URL(request.url ?? "/", origin);
    const file = files.get(pathname);
    if (file) return void response.writeHead(200, { ...pageHeaders, "content-type": file.type }).end(file.body);
    const reply = (status: number, data: object, code = "") => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(status < 400 ? { ok: true, data } : { ok: false, error: { code, ...data } }));
    };
    if (pathname.endsWith("/start")) return void response.end(`A login of ${pathname}${search}`);
    if (!state.isSignedIn) return reply(401, {}, "unauthorized");
    if (request.method !== "GET") {
      const body = await text(request);
      state.writes.push([
        request.method,
        pathname + search,
        request.headers["x-csrf-token"] ?? null,
        body === "" ? null : JSON.parse(body),
      ]);
      const written = write(pathname, searchParams.get("tenant") ?? "");
      return written ? reply(written.status, written.data ?? {}, written.code) : void response.destroy();
    }
    if (pathname === "/console/me") return reply(200, { email: state.email, csrf_token: "t" });
    if (pathname === "/console/tenants") return reply(200, { tenants: state.workspaces });
    if (pathname === "/v1/accounts") {
      return reply(state.accountsStatus, { accounts: state.accounts[searchParams.get("tenant") ?? ""] ?? [] }, "x");
    }
    if (pathname === "/oauth/messenger/pages") {
      return Array.isArray(state.pages)
        ? reply(200, { pages: state.pages })
        : reply(state.pages.status, {}, state.pages.code);
    }
    return reply(404, {}, "route_not_found");
  }

  function write(pathname: string, tenant: string): WriteReply {
    const { writeAnswer } = state;
    if (typeof writeAnswer === "object") return { ...writeAnswer, data: { detail: writeAnswer.detail } };
    const before = state.accounts[tenant] ?? [];
    const isSelect = pathname === "/oauth/messenger/select";
    const key = decodeURIComponent(pathname.slice("/v1/accounts/".length));
    state.accounts[tenant] = isSelect
      ? [...before, ...state.selected]
      : before.filter(({ account_key }) => account_key !== key);
    if (writeAnswer === "drop") return null;
    return { status: 200, data: isSelect ? { accounts: state.selected } : { disconnected: true } };
  }
}

/** Null: the answer is lost. */
type WriteReply = { readonly status: number; readonly code?: string; readonly data?: object } | null;

function initialState() {
  return {
    isSignedIn: true,
    email: "mara@example.com",
    workspaces: [{ id: "harbor", name: "Harbor", role: "admin" }],
    accounts: { harbor: [instagram, messenger] } as Record<string, AccountRow[]>,
    pages: [] as ConnectServer["pages"],
    selected: [] as AccountRow[],
    writeAnswer: "ok" as WriteAnswer,
    accountsStatus: 200,
    writes: [] as unknown[],
  };
}
