import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { checkSolutions, newChallenge } from "../../../shared/domain/holds/proof-of-work.ts";
import { randomToken } from "../../../shared/kernel/bytes.ts";
import { newUlid } from "../../../shared/kernel/ids.ts";
import { iso, MINUTE } from "../../../shared/kernel/time.ts";
import { buildCheckPage } from "../../../web/build.ts";

// Stands for the API: the built page under its policy, and the three routes of the check over the real proof of work.

const csp =
  "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const files: Readonly<Record<string, { name: string; type: string }>> = {
  "/verify": { name: "index.html", type: "text/html; charset=utf-8" },
  "/verify/check.css": { name: "check.css", type: "text/css; charset=utf-8" },
  "/verify/check.js": { name: "check.js", type: "text/javascript; charset=utf-8" },
  "/verify/solver.js": { name: "solver.js", type: "text/javascript; charset=utf-8" },
};

export interface HeldMessage {
  id: string;
  secret: string;
  scope: "live" | "test";
  status: "awaiting_verification" | "sending" | "sent" | "failed";
  expiresAt: number;
  platform: string;
  displayName: string;
  text: string;
  attachments: number;
  test?: true;
  /** What becomes of it when its person sends it. */
  outcome: "sending" | "sent" | "failed";
  error?: { code: string; message: string; detail: string | null };
}

export type Route = "look" | "challenge" | "complete";

export interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

export interface CheckServer {
  readonly origin: string;
  /** Every call of the three routes, in order. */
  readonly calls: { readonly route: Route; readonly holdId: string; readonly body: Record<string, unknown> }[];
  /** The server's present against this machine's, in milliseconds. */
  ahead: number;
  hold(wanted?: Partial<HeldMessage>): HeldMessage;
  linkTo(hold: HeldMessage): string;
  /** Answers the route's next call in the place of the real thing; "drop" does the work and breaks off in the answer. */
  next(route: Route, reply: Reply | "drop"): void;
  /** Lets the route's next call wait until the function that it gives is called. */
  holdBack(route: Route): () => void;
  close(): Promise<void>;
}

export function refusal(status: number, code: string, detail: string | null, headers = {}): Reply {
  return { status, headers, body: { ok: false, error: { code, message: "No.", detail } } };
}

export async function startCheckServer(): Promise<CheckServer> {
  const folder = await mkdtemp(join(tmpdir(), "check-page-"));
  await buildCheckPage(folder);
  const key = randomToken(32);
  const holds = new Map<string, HeldMessage>();
  const scripted = new Map<Route, (Reply | "drop")[]>();
  const gates = new Map<Route, Promise<void>>();
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const house: CheckServer = {
    origin,
    calls: [],
    ahead: 0,
    hold(wanted = {}) {
      const at = now();
      const held: HeldMessage = {
        id: `hold_${newUlid(at)}`,
        secret: randomToken(32).toString("base64url"),
        scope: "test",
        status: "awaiting_verification",
        expiresAt: at + 15 * MINUTE,
        platform: "instagram",
        displayName: "Mara Lindqvist",
        text: "Hello Mara, your order is ready.",
        attachments: 0,
        outcome: "sent",
        ...wanted,
      };
      holds.set(held.id, held);
      return held;
    },
    linkTo: (hold) => `${origin}/verify?hold=${hold.id}#t=${hold.secret}`,
    next: (route, reply) => void scripted.set(route, [...(scripted.get(route) ?? []), reply]),
    holdBack(route) {
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
  return house;

  function now(): number {
    return Date.now() + house.ahead;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", origin);
    response.sendDate = false;
    response.setHeader("Date", new Date(now()).toUTCString());
    response.setHeader("Cache-Control", "no-store");
    const file = request.method === "GET" ? files[pathname] : undefined;
    if (file !== undefined) {
      const headers = { "Content-Type": file.type, "Content-Security-Policy": csp, "Referrer-Policy": "no-referrer" };
      response.writeHead(200, headers).end(await readFile(join(folder, file.name)));
      return;
    }
    const [, holdId = "", path = ""] = /^\/verify\/holds\/(\w+)(?:\/(challenge|complete))?$/.exec(pathname) ?? [];
    if (request.method !== "POST" || holdId === "") {
      response.writeHead(404).end();
      return;
    }
    const route = path === "" ? "look" : (path as Route);
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    house.calls.push({ route, holdId, body });
    await gates.get(route);
    const planned = scripted.get(route)?.shift();
    const reply = planned === undefined || planned === "drop" ? judge(route, holdId, body) : planned;
    if (planned === "drop") {
      // Before the first byte of an answer a browser would ask a second time by itself.
      response.writeHead(200, { "Content-Type": "application/json" }).write('{"ok":');
      setImmediate(() => response.destroy());
      return;
    }
    response.writeHead(reply.status, { "Content-Type": "application/json", ...reply.headers });
    response.end(JSON.stringify(reply.body));
  }

  function judge(route: Route, holdId: string, body: Record<string, unknown>): Reply {
    const held = holds.get(holdId);
    if (held === undefined || body.secret !== held.secret) return refusal(404, "hold_not_found", null);
    if (held.status !== "awaiting_verification") return refusal(409, "hold_expired", held.status);
    if (now() >= held.expiresAt) return refusal(409, "hold_expired", "expired");
    if (route === "look") return shown(held);
    if (route === "challenge") {
      const asked = { holdId, scope: held.scope, nonce: randomToken(16), now: now(), holdExpiresAt: held.expiresAt };
      return { status: 200, body: { ok: true, data: newChallenge(asked, key) } };
    }
    const { token, solutions } = body as { token: string; solutions: number[] };
    const verdict = checkSolutions({ holdId, token, solutions, now: now() }, key);
    if (verdict !== "ok") return refusal(400, "invalid_request", verdict);
    held.status = held.outcome;
    return shown(held);
  }

  function shown(held: HeldMessage): Reply {
    const { id, status, platform, text, attachments } = held;
    const hold = {
      ...{ id, status, expires_at: iso(held.expiresAt), platform, display_name: held.displayName, text, attachments },
      ...(held.test ? { test: true } : {}),
      ...(status === "failed" && held.error ? { error: held.error } : {}),
    };
    return { status: 200, body: { ok: true, data: { hold } } };
  }
}
