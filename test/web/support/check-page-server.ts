import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { hmacSha256, randomToken } from "#base/kernel/bytes.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { iso, MINUTE } from "#base/kernel/time.ts";
import { checkSolutions, type IssuedChallenge, newChallenge } from "#features/holds/rules/proof-of-work.ts";
import { buildCheckPage } from "../../../web/build.ts";
import { oneKeyRing } from "../../support/world/key-rings.ts";
import { PSEUDO_LOCALE, pseudoPage } from "./pseudo-locale.ts";

// A test double of the API: the built page under its policy, and the three check routes with the real proof of work.

const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const files: Readonly<Record<string, { name: string; type: string }>> = {
  "/verify": { name: "index.LANGUAGE.html", type: "text/html; charset=utf-8" },
  "/verify/check.css": { name: "check.css", type: "text/css; charset=utf-8" },
  "/verify/check.js": { name: "check.js", type: "text/javascript; charset=utf-8" },
  "/verify/solver.js": { name: "solver.js", type: "text/javascript; charset=utf-8" },
};

export interface HeldMessage {
  id: string;
  secret: string;
  /** The real ones are those of a test message. Without a reason to solve them, the browser need not. */
  puzzles: "easy" | "real";
  status: "awaiting_verification" | "sending" | "sent" | "failed";
  expiresAt: number;
  platform: string;
  displayName: string;
  username: string | null;
  accountHandle: string | null;
  actorId: string;
  actorName: string | null;
  text: string;
  attachments: readonly { readonly type: string; readonly url: string | null }[];
  test?: true;
  /** The status after `complete`. */
  outcome: "sending" | "sent" | "failed";
  error?: { code: string; message: string; detail: string | null };
}

export type Route = "get" | "challenge" | "complete";

export interface ScriptedReply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

export interface CheckServer {
  readonly origin: string;
  /** All calls of the three routes, in order. */
  readonly calls: { readonly route: Route; readonly holdId: string; readonly body: Record<string, unknown> }[];
  /** How far the server's clock is ahead of this machine's, in milliseconds. */
  clockSkew: number;
  createHold(overrides?: Partial<HeldMessage>): HeldMessage;
  linkTo(hold: HeldMessage): string;
  /** Scripts the response to the next call of a route. "drop" does the work and breaks off the response. */
  replyNext(route: Route, reply: ScriptedReply | "drop"): void;
  /** Delays the next call of a route until the returned function is called. */
  delayNext(route: Route): () => void;
  close(): Promise<void>;
}

export function refusalReply(status: number, code: string, detail: string | null, headers = {}): ScriptedReply {
  return { status, headers, body: { ok: false, error: { code, message: "No.", detail } } };
}

export async function startCheckServer(): Promise<CheckServer> {
  const folder = await mkdtemp(join(tmpdir(), "check-page-"));
  buildCheckPage(folder);
  writePseudoLocale(folder);
  const keys = oneKeyRing(randomToken(32));
  const holds = new Map<string, HeldMessage>();
  const scriptedReplies = new Map<Route, (ScriptedReply | "drop")[]>();
  const gates = new Map<Route, Promise<void>>();
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const checkServer: CheckServer = {
    origin,
    calls: [],
    clockSkew: 0,
    createHold(overrides = {}) {
      const at = now();
      const heldMessage: HeldMessage = {
        id: `hold_${newUlid(at)}`,
        secret: randomToken(32).toString("base64url"),
        puzzles: "easy",
        status: "awaiting_verification",
        expiresAt: at + 15 * MINUTE,
        platform: "instagram",
        displayName: "Mara Lindqvist",
        username: "mara.l",
        accountHandle: "harbor.tailors",
        actorId: "ann",
        actorName: null,
        text: "Hello Mara, your order is ready.",
        attachments: [],
        outcome: "sent",
        ...overrides,
      };
      holds.set(heldMessage.id, heldMessage);
      return heldMessage;
    },
    linkTo: (hold) => `${origin}/verify?hold=${hold.id}#t=${hold.secret}`,
    replyNext: (route, reply) => void scriptedReplies.set(route, [...(scriptedReplies.get(route) ?? []), reply]),
    delayNext(route) {
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.set(route, promise);
      return () => {
        gates.delete(route);
        resolve();
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
  return checkServer;

  function now(): number {
    return Date.now() + checkServer.clockSkew;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", origin);
    response.sendDate = false;
    response.setHeader("Date", new Date(now()).toUTCString());
    response.setHeader("Cache-Control", "no-store");
    const file = request.method === "GET" ? files[pathname] : undefined;
    const [, language = "en"] = /^(\w\w)/.exec(request.headers["accept-language"] ?? "") ?? [];
    if (file !== undefined) {
      const headers = {
        "Content-Type": file.type,
        "Content-Security-Policy": contentSecurityPolicy,
        "Referrer-Policy": "no-referrer",
      };
      response.writeHead(200, headers).end(await readFile(join(folder, file.name.replace("LANGUAGE", language))));
      return;
    }
    const [, holdId = "", path = ""] = /^\/verify\/holds\/(\w+)(?:\/(challenge|complete))?$/.exec(pathname) ?? [];
    if (request.method !== "POST" || holdId === "") {
      response.writeHead(404).end();
      return;
    }
    const route = path === "" ? "get" : (path as Route);
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    checkServer.calls.push({ route, holdId, body });
    await gates.get(route);
    const scriptedReply = scriptedReplies.get(route)?.shift();
    const reply = scriptedReply === undefined || scriptedReply === "drop" ? handle(route, holdId, body) : scriptedReply;
    if (scriptedReply === "drop") {
      // A browser repeats a request that breaks before the first byte of the response.
      response.writeHead(200, { "Content-Type": "application/json" }).write('{"ok":');
      setImmediate(() => response.destroy());
      return;
    }
    response.writeHead(reply.status, { "Content-Type": "application/json", ...reply.headers });
    response.end(JSON.stringify(reply.body));
  }

  function handle(route: Route, holdId: string, body: Record<string, unknown>): ScriptedReply {
    const heldMessage = holds.get(holdId);
    if (heldMessage === undefined || body.secret !== heldMessage.secret)
      return refusalReply(404, "hold_not_found", null);
    const status = now() >= heldMessage.expiresAt && isWaiting(heldMessage) ? "expired" : heldMessage.status;
    if (status !== "awaiting_verification") return endedReply(heldMessage, status);
    if (route === "get") return holdReply(heldMessage);
    if (route === "challenge") {
      const terms = {
        holdId,
        scope: "test",
        nonce: randomToken(16),
        now: now(),
        holdExpiresAt: heldMessage.expiresAt,
      } as const;
      const challenge = newChallenge(terms, keys);
      const data = heldMessage.puzzles === "real" ? challenge : withEasyPuzzles(challenge, keys.current.key);
      return { status: 200, body: { ok: true, data } };
    }
    const { token, solutions } = body as { token: string; solutions: number[] };
    const verdict = checkSolutions({ holdId, token, solutions, now: now() }, keys);
    if (verdict !== "ok") return refusalReply(400, "invalid_request", verdict);
    heldMessage.status = heldMessage.outcome;
    return holdReply(heldMessage);
  }
}

function writePseudoLocale(folder: string): void {
  const page = readFileSync(join(folder, "index.en.html"), "utf8");
  writeFileSync(join(folder, `index.${PSEUDO_LOCALE}.html`), pseudoPage(page));
}

/** The challenge with as many puzzles, 256 times easier. */
export function withEasyPuzzles({ challenge, token, expires }: IssuedChallenge, key: Uint8Array): IssuedChallenge {
  const easier = { ...challenge, d: 1 };
  const terms = JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()) as object;
  const body = Buffer.from(JSON.stringify({ ...terms, ...easier })).toString("base64url");
  return { challenge: easier, token: `${body}.${hmacSha256(key, body).toString("base64url")}`, expires };
}

const isWaiting = ({ status }: HeldMessage) => status === "awaiting_verification";

function toEndedHold({ id, platform, test, error }: HeldMessage, status: string) {
  return { id, status, platform, ...(test ? { test } : {}), ...(status === "failed" && error ? { error } : {}) };
}

function endedReply(heldMessage: HeldMessage, status: string): ScriptedReply {
  const error = { code: "hold_expired", message: "No.", detail: status, hold: toEndedHold(heldMessage, status) };
  return { status: 409, body: { ok: false, error } };
}

export function holdReply(heldMessage: HeldMessage): ScriptedReply {
  const { status, displayName, username, accountHandle, actorId, actorName, text, attachments } = heldMessage;
  const content = isWaiting(heldMessage) ? { text, attachments } : { text: "", attachments: [] };
  const hold = {
    ...toEndedHold(heldMessage, status),
    expires_at: iso(heldMessage.expiresAt),
    display_name: displayName,
    participant_username: username,
    account_handle: accountHandle,
    actor_id: actorId,
    actor_name: actorName,
    text: content.text,
    attachments: content.attachments.length,
    attachment_list: content.attachments,
  };
  return { status: 200, body: { ok: true, data: { hold } } };
}
