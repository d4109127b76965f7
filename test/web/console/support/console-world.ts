import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Page,
  Request,
  Route,
  WebSocketRoute,
} from "playwright-core";
import { buildCheckPage } from "../../../../web/build.ts";
import { inboxPath } from "../../../../web/console/paths.ts";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { observeExchange, observeFrame } from "../../../support/conformance/observed.ts";
import { type ConsoleServer, startConsoleServer } from "../../support/console-server.ts";
import { type ApiRequest, operationOf } from "./answers.ts";
import { ApiModel, CSRF_TOKEN } from "./api-model.ts";
import type { Frame } from "./frames.ts";

/**
 * How calls fail: an answer with a status; `hang`, no answer; `page`, that of a hotel's Wi-Fi; `refused`, no connection;
 * `lost`, done but not answered.
 */
export type Failure =
  | { readonly status: number; readonly code: string; readonly detail?: string; readonly bare?: boolean }
  | "hang"
  | "page"
  | "refused"
  | "lost";

export interface Call extends ApiRequest {
  /** Such as `GET /v1/conversations/{id}`. */
  readonly operation: string;
}

const knownTypes: ReadonlySet<string> = new Set([
  "message.received",
  "message.sent",
  "message.edited",
  "message.deleted",
  "message.reaction",
  "conversation.updated",
  "hold.updated",
  "upload.updated",
  "presence.updated",
]);

let shared: Promise<{ server: ConsoleServer; solver: string }> | undefined;

/** The console is built and served once for each worker. */
function sharedConsole() {
  shared ??= startConsole();
  return shared;
}

async function startConsole() {
  const folder = mkdtempSync(join(tmpdir(), "console-world-"));
  buildCheckPage(folder);
  const solver = readFileSync(join(folder, "solver.js"), "utf8");
  rmSync(folder, { recursive: true });
  const server = await startConsoleServer();
  process.once("exit", () => server.close());
  return { server, solver };
}

/** The built console in the browser, and a model of the API behind it. */
export class ConsoleWorld {
  readonly context: BrowserContext;
  readonly model: ApiModel;
  /** All calls, in order. */
  readonly calls: Call[] = [];
  /** Frames that the page sent. */
  readonly sentFrames: string[] = [];
  /** What the page threw, and violations of its policy. */
  readonly complaints: string[] = [];
  readonly origin: string;
  readonly #solver: string;
  readonly #sockets = new Set<WebSocketRoute>();
  readonly #failures: { readonly operation: string; readonly failure: Failure; left: number }[] = [];
  readonly #gates = new Map<string, Promise<void>>();
  #heldFrames: Frame[] | null = null;
  #refusesSockets = false;

  private constructor(context: BrowserContext, { server, solver }: { server: ConsoleServer; solver: string }) {
    this.context = context;
    this.origin = server.origin;
    this.#solver = solver;
    const socketUrl = `${server.origin.replace("http", "ws")}/live`;
    this.model = new ApiModel((frame) => this.push(frame), { origin: server.origin, socketUrl });
  }

  /** Opens a world without a page. Its tabs end with the test: `openedBrowser` closes them. */
  static async open(browser: Browser, options: BrowserContextOptions = {}): Promise<ConsoleWorld> {
    const built = await sharedConsole();
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    const world = new ConsoleWorld(context, built);
    await context.addCookies([{ name: "console_csrf", value: CSRF_TOKEN, url: built.server.origin }]);
    const isOfApi = ({ pathname }: URL) => /^\/(v1|console|verify|oauth|storage)(\/|$)/.test(pathname);
    await context.route(isOfApi, (route) => world.#answer(route));
    await context.routeWebSocket(/\/live/, (socket) => world.#onSocket(socket));
    return world;
  }

  get inbox() {
    return this.model.inbox;
  }

  /**
   * Opens a tab at the inbox, or at a conversation, and waits until the list and the messages are loaded.
   * @param waitsForStream whether it waits for the stream, too
   */
  async visit(conversation: string | null = null, { waitsForStream = true } = {}): Promise<Page> {
    const page = await this.context.newPage();
    page.setDefaultTimeout(15_000);
    page.on("pageerror", (error) => this.complaints.push(error.stack ?? error.message));
    page.on("console", (line) => {
      if (/Content.Security.Policy/i.test(line.text())) this.complaints.push(line.text());
    });
    const before = this.#sockets.size;
    await page.goto(this.origin + inboxPath("acme", conversation));
    if (waitsForStream) await waitFor("a live connection", () => this.#sockets.size > before);
    await page.locator(".row, .blank").first().waitFor({ state: "attached" });
    if (conversation !== null) await page.locator(".msgs:not([hidden])").waitFor({ state: "attached" });
    return page;
  }

  /** The calls of an operation. */
  callsOf(operation: string): Call[] {
    return this.calls.filter((call) => call.operation === operation);
  }

  /** Lets the next calls of an operation fail. @returns lets them succeed again */
  fail(operation: string, failure: Failure, times = 1): () => void {
    const entry = { operation, failure, left: times };
    this.#failures.push(entry);
    return () => {
      entry.left = 0;
    };
  }

  /** Does what calls of an operation ask for, and keeps their answers back until the returned function is called. */
  keepBack(operation: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gates.set(operation, promise);
    return () => {
      if (this.#gates.get(operation) === promise) this.#gates.delete(operation);
      resolve();
    };
  }

  /** Sends a frame to every open page. */
  push(frame: Frame | object): void {
    if (this.#heldFrames !== null) {
      this.#heldFrames.push(frame as Frame);
      return;
    }
    const text = JSON.stringify(frame);
    // A frame of an unknown type is a test of the page, not of the model.
    if (knownTypes.has(String((frame as Frame).type))) observeFrame("server", text);
    for (const socket of this.#sockets) socket.send(text);
  }

  /** Keeps frames back. @returns the frames until now; afterwards frames are sent again */
  keepFrames(): () => Frame[] {
    const held: Frame[] = [];
    this.#heldFrames = held;
    return () => {
      this.#heldFrames = null;
      return held;
    };
  }

  /** Ends every connection of the stream. @param refuses whether new ones end, too, until `acceptSockets` */
  async dropSocket({ refuses = false } = {}): Promise<void> {
    this.#refusesSockets = refuses;
    const sockets = [...this.#sockets];
    this.#sockets.clear();
    for (const socket of sockets) await socket.close({ code: 1001 });
  }

  acceptSockets(): void {
    this.#refusesSockets = false;
  }

  /** Waits until a page has connected to the stream again. */
  async reconnected(): Promise<void> {
    await waitFor("a live connection", () => this.#sockets.size > 0, { seconds: 30 });
  }

  #onSocket(socket: WebSocketRoute): void {
    if (this.#refusesSockets) {
      void socket.close({ code: 1001 });
      return;
    }
    socket.onMessage((text) => {
      this.sentFrames.push(String(text));
      if (String(text) === '{"type":"ping"}') socket.send('{"type":"pong"}');
    });
    socket.onClose(() => this.#sockets.delete(socket));
    const now = this.model.now();
    const hello = { type: "hello", connection_id: "con_1", server_time: now, expires_at: now + 7_200_000 };
    const text = JSON.stringify(hello);
    observeFrame("server", text);
    this.#sockets.add(socket);
    socket.send(text);
  }

  async #answer(route: Route): Promise<void> {
    const request = toRequest(route.request());
    const { pathname } = new URL(route.request().url());
    if (pathname === "/verify/solver.js") {
      return route.fulfill({ contentType: "text/javascript; charset=utf-8", body: this.#solver });
    }
    const operation = operationOf(request.method, pathname);
    this.calls.push({ ...request, operation });
    const gate = this.#gates.get(operation);
    const failure = this.#takeFailure(operation);
    if (failure !== null && failure !== "lost") {
      await gate;
      return fail(route, failure);
    }
    if (pathname === "/storage") {
      this.model.uploads.post(route.request().postDataBuffer()?.toString("latin1") ?? "");
      await gate;
      return fulfill(route, { status: 204 });
    }
    // The pages around the console.
    if (operation === "GET /console/auth/sign-in") {
      return fulfill(route, { contentType: "text/html", body: "<!doctype html><title>Sign in</title>" });
    }
    const at = this.model.now();
    const answer = this.model.answer(request);
    const body = JSON.stringify(answer.body);
    const headers = { "content-type": "application/json", date: new Date(at).toUTCString() };
    observeExchange({
      method: request.method,
      url: route.request().url().slice(this.origin.length),
      requestHeaders: new Headers(request.headers),
      requestBody: route.request().postDataBuffer(),
      status: answer.status,
      headers: new Headers(headers),
      body: Buffer.from(body),
    });
    await gate;
    if (failure === "lost") return route.abort("connectionreset").catch(() => {});
    await fulfill(route, { status: answer.status, headers, body });
  }

  #takeFailure(operation: string): Failure | null {
    const entry = this.#failures.find((each) => each.operation === operation && each.left > 0);
    if (!entry) return null;
    entry.left -= 1;
    return entry.failure;
  }
}

async function fail(route: Route, failure: Exclude<Failure, "lost">): Promise<void> {
  if (failure === "hang") return;
  if (failure === "refused") return route.abort("connectionrefused");
  if (failure === "page") {
    return fulfill(route, { contentType: "text/html", body: "<!doctype html><h1>Welcome to our Wi-Fi</h1>" });
  }
  const { status, code, detail = "", bare = false } = failure;
  const body = bare ? "" : JSON.stringify({ ok: false, error: { code, message: "It failed.", detail } });
  return fulfill(route, { status, contentType: bare ? "text/plain" : "application/json", body });
}

/** A page that was closed takes no answer. */
async function fulfill(route: Route, answer: Parameters<Route["fulfill"]>[0]): Promise<void> {
  await route.fulfill(answer).catch(() => {});
}

function toRequest(request: Request): ApiRequest {
  const { pathname, searchParams } = new URL(request.url());
  const isJson = request.headers()["content-type"]?.startsWith("application/json") ?? false;
  const body = isJson ? (JSON.parse(request.postData() ?? "{}") as Record<string, unknown>) : {};
  return { method: request.method(), path: pathname, query: searchParams, body, headers: request.headers() };
}
