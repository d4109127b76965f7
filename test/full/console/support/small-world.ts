import type { Browser, BrowserContextOptions, Page, Route, WebSocketRoute } from "playwright-core";
import type { Data } from "#client";
import type { Conversation, Message } from "../../../../web/console/data/types.ts";
import { conversation } from "../../../web/console/data/conversations.ts";
import { plainMessage } from "../../../web/console/data/plain-message.ts";
import type { ConsoleServer } from "../../../web/support/console-server.ts";
import { OfficeModel } from "./office-model.ts";
import { fill } from "./replies.ts";
import { WebhookModel } from "./webhook-model.ts";

type LoginPage = Data<"GET /oauth/messenger/pages">["pages"][number];

export const HOUR = 3_600_000;
export const ACCOUNT = "178414";

/** An answer of the API. Without `body` it is `data` in an envelope, or an error with `code`. */
export interface Answer {
  /** 0: there is no answer, because the connection is lost. */
  readonly status: number;
  readonly code?: string;
  readonly detail?: string;
  readonly data?: unknown;
  /** A body that is not Parley's. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The fields of an `invalid_request`. */
  readonly errors?: readonly { readonly field: string; readonly problem: string }[];
}

export interface Call {
  readonly operation: string;
  readonly id: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly page: SmallWorld;
}

/** The id of the conversation with a person of the account. */
export function conversationId(person: string, platform = "instagram"): string {
  return `CONV#acme#${platform}#${ACCOUNT}#${person}`;
}

/** A conversation whose person wrote some hours ago. */
export function personOf(id: string, hoursAgo: number | null, more: Partial<Conversation> = {}): Conversation {
  const inbound = hoursAgo === null ? null : Date.now() - hoursAgo * HOUR;
  const outbound = hoursAgo === null ? Date.now() - HOUR : null;
  return conversation(
    conversationId(id),
    { inbound, outbound },
    { participant_id: id, participant_name: `Person ${id}`, ...more },
  );
}

/** A message from the person, or of another direction. */
export function messageOf(id: string, person: string, more: Partial<Message> = {}): Message {
  return {
    ...plainMessage,
    id,
    conversation_id: conversationId(person),
    account_key: `instagram#${ACCOUNT}`,
    platform: "instagram",
    direction: "inbound",
    text: "Hello",
    sent_at: new Date(Date.now() - HOUR).toISOString(),
    sent_via: "participant",
    actor_id: null,
    ...more,
  } as Message;
}

/** The console in a browser, before an API in memory that a test may make fail. */
export class SmallWorld {
  readonly page: Page;
  readonly origin: string;
  readonly calls: string[] = [];
  /** What the page threw, and violations of its policy. */
  readonly complaints: string[] = [];
  readonly requestedUrls: string[] = [];
  /** The frames that the page sent. */
  readonly sentFrames: string[] = [];
  readonly conversations = new Map<string, Conversation>();
  readonly messages = new Map<string, Message[]>();
  readonly webhooks = new WebhookModel();
  readonly office = new OfficeModel();
  me: Record<string, unknown> = {
    user_id: "usr_me",
    actor_id: "console:usr_me",
    email: "mia@example.com",
    name: "Mia",
    session_expires_at: new Date(Date.now() + 8 * HOUR).toISOString(),
    tenant: "acme",
    tenants: ["acme"],
    csrf_token: "csrf",
    invites: [],
  };
  workspaces: Record<string, unknown>[] = [workspace("acme", "Acme")];
  accounts: Record<string, unknown>[] = [account("Acme")];
  /** The pages that a login of Facebook offers. */
  loginPages: LoginPage[] = [loginPage("1", "Acme")];
  team: Record<string, unknown>[] = [];
  /** Answers instead of those of the API, by operation: `GET /v1/conversations/{id}`. */
  readonly failures = new Map<string, Answer>();
  #socket: WebSocketRoute | null = null;

  constructor(page: Page, origin: string) {
    this.page = page;
    this.origin = origin;
  }

  add(person: Conversation, messages: readonly Message[] = []): void {
    this.conversations.set(person.id, person);
    this.messages.set(person.id, [...messages]);
  }

  async open(path = "/app/acme/inbox"): Promise<void> {
    await this.page.goto(`${this.origin}${path}`);
  }

  async openThread(person: string): Promise<void> {
    await this.open(`/app/acme/inbox/instagram/${ACCOUNT}/${person}`);
  }

  /** Sends a frame of the stream: an object, or a text that may be no JSON. */
  push(frame: object | string): void {
    this.#socket?.send(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  get isLive(): boolean {
    return this.#socket !== null;
  }

  onSocket(socket: WebSocketRoute): void {
    this.#socket = socket;
    socket.onMessage((text) => {
      this.sentFrames.push(String(text));
      if (String(text).includes("ping")) socket.send('{"type":"pong"}');
    });
    const [server_time, expires_at] = [Date.now(), Date.now() + 2 * HOUR];
    setTimeout(() => socket.send(JSON.stringify({ type: "hello", connection_id: "c", server_time, expires_at })), 50);
  }

  async onRequest(route: Route): Promise<void> {
    const request = route.request();
    const url = new URL(request.url());
    if (/^\/app(\/|$)/.test(url.pathname)) return await route.continue();
    const { template, id } = toTemplate(url.pathname);
    const operation = `${request.method()} ${template}`;
    this.calls.push(operation);
    const text = request.headers()["content-type"]?.includes("json") ? (request.postData() ?? "{}") : "{}";
    const call = { operation, id, path: url.pathname, query: url.searchParams, body: JSON.parse(text), page: this };
    const answer = this.failures.get(operation) ?? fill(call);
    const { status, code, detail = "", errors, data, body, headers = {} } = answer;
    if (status === 0) return await route.abort();
    const error = { code, message: code, detail, ...(errors ? { errors } : {}) };
    const envelope = code === undefined ? { ok: true, data } : { ok: false, error };
    await route.fulfill({
      status,
      headers: { "content-type": body === undefined ? "application/json" : "text/html", ...headers },
      body: body ?? JSON.stringify({ correlation_id: "cor_1", ...envelope }),
    });
  }
}

/** Opens a browser's page before a world; nothing is loaded yet. Waits between retries are short in it. */
export async function openWorld(
  browser: Browser,
  server: ConsoleServer,
  options: BrowserContextOptions = {},
): Promise<SmallWorld> {
  const context = await browser.newContext(options);
  await context.addInitScript(SHORT_WAITS);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const world = new SmallWorld(page, server.origin);
  page.on("pageerror", (error) => world.complaints.push(error.message));
  page.on("console", (line) => {
    if (/Content.Security.Policy|unique "key"|same key/i.test(line.text())) world.complaints.push(line.text());
  });
  page.on("request", (request) => world.requestedUrls.push(request.url()));
  await page.route(`${server.origin}/**`, (route) => world.onRequest(route));
  // The media of the platforms are gone.
  await page.route(/^https:\/\/[^/]+\.fbcdn\.net\//, (route) => route.abort());
  await page.routeWebSocket(/\/live/, (socket) => world.onSocket(socket));
  return world;
}

export function workspace(id: string, name: string, more: object = {}) {
  const at = new Date(0).toISOString();
  return {
    id,
    name,
    status: "active",
    language: null,
    created_at: at,
    updated_at: at,
    role: "owner",
    invited_by: "cli",
    ...more,
  };
}

export function account(name: string, more: object = {}) {
  return {
    account_key: `instagram#${ACCOUNT}`,
    platform: "instagram",
    external_id: ACCOUNT,
    handle: "acme",
    display_name: name,
    picture: null,
    page_id: null,
    connection: "instagram_login",
    status: "active",
    status_detail: null,
    refresh_error: null,
    last_refreshed_at: new Date(0).toISOString(),
    token_expires_at: null,
    human_agent_blocked_at: null,
    subscribed_at: null,
    subscription: { state: "unchecked", checked_at: null },
    missing_since: null,
    ...more,
  };
}

/** A page of a login of Facebook. @param username of the Instagram account that is linked to it; null for none */
export function loginPage(page_id: string, name: string, username: string | null = null): LoginPage {
  const instagram =
    username === null ? null : { account_key: `instagram#of-${page_id}`, username, connected: false, picture: null };
  return {
    page_id,
    name,
    messenger: { account_key: `messenger#${page_id}`, connected: false, picture: null },
    instagram,
  };
}

const templates: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/webhooks\/([^/]+)\/deliveries\/(?!replay$)[^/]+(\/.*)?$/, "/v1/webhooks/{id}/deliveries/{deliveryId}"],
  [
    /^(?:\/v1\/conversations|\/v1\/accounts|\/v1\/attachments\/uploads|\/verify\/holds|\/console\/invites|\/v1\/webhooks|\/v1\/keys)\/([^/]+)(\/.*)?$/,
    "",
  ],
];

/** The path with parameters, such as `/v1/conversations/{id}`, and its first id. */
function toTemplate(path: string): { template: string; id: string } {
  const member = /^\/console\/team\/([^/]+)$/.exec(path);
  if (member) return { template: "/console/team/{user_id}", id: decodeURIComponent(member[1] ?? "") };
  const slug = /^\/console\/tenants\/([^/]+)$/.exec(path)?.[1];
  if (slug) return { template: "/console/tenants/{slug}", id: slug };
  for (const [pattern, template] of templates) {
    const match = pattern.exec(path);
    if (!match) continue;
    const [, id = "", rest = ""] = match;
    const start = template || `${path.slice(0, path.indexOf(id) - 1)}/{id}`;
    return { template: start + rest, id: decodeURIComponent(id) };
  }
  return { template: path, id: "" };
}

// The waits between the retries of a call, before a draft is stored and before a lost connection is shown.
const SHORT_WAITS = `{
  const { setTimeout: wait, setInterval: repeat } = window;
  const isShort = (ms) => (ms >= 200 && ms < 5000) || ms > 11000 && ms <= 12000;
  window.setTimeout = (run, ms, ...rest) => wait(run, isShort(ms) ? 30 : ms, ...rest);
  window.setInterval = (run, ms, ...rest) => repeat(run, ms === 3000 ? 200 : ms, ...rest);
}`;
