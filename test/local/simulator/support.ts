import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type SimulatorOptions, startSimulator } from "../../../local/simulator/simulator.ts";

export const secrets = { meta: "meta-secret", instagram: "instagram-secret" };
export const page = { id: "104512347788901", token: "EAATestPage" };
export const accounts = {
  login: {
    connection: "instagram_login",
    externalId: "17841405793187218",
    pageId: null,
    handle: "bakery",
    displayName: "Bakery",
    token: "IGAATestLogin",
  },
  viaPage: {
    connection: "instagram_page",
    externalId: "17841440011223344",
    pageId: page.id,
    handle: "bikes",
    displayName: "Bikes",
    token: page.token,
  },
  messenger: {
    connection: "messenger",
    externalId: page.id,
    pageId: page.id,
    handle: "bikesonpage",
    displayName: "Bikes",
    token: page.token,
  },
} as const;

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  raw: string;
  body: Fields;
}
// biome-ignore lint/suspicious/noExplicitAny: answers are read field by field, and a wrong field fails the test.
export type Fields = Record<string, any>;

/** A webhook receiver that keeps what it gets and answers as told. */
export async function receiver() {
  const got: Received[] = [];
  const watchers = new Set<() => void>();
  const settings = { status: 200, challenge: "", silent: false };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.method === "GET") {
        const query = new URL(request.url ?? "/", "http://receiver.invalid").searchParams;
        const known = query.get("hub.verify_token") === settings.challenge;
        response.writeHead(known ? 200 : 403).end(known ? query.get("hub.challenge") : "");
        return;
      }
      const raw = Buffer.concat(chunks).toString("latin1");
      got.push({ path: request.url ?? "", headers: request.headers, raw, body: JSON.parse(raw) });
      if (!settings.silent) response.writeHead(settings.status).end();
      for (const watch of watchers) watch();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    settings,
    /** The webhooks once there are `count` that fit; times out with the test. */
    async until(count: number, fits: (one: Received) => boolean = () => true): Promise<Received[]> {
      for (;;) {
        const fitting = got.filter(fits);
        if (fitting.length >= count) return fitting;
        await new Promise<void>((resolve) => {
          const watch = () => {
            watchers.delete(watch);
            resolve();
          };
          watchers.add(watch);
        });
      }
    },
  };
}

export interface Answered {
  status: number;
  body: Fields;
  headers: Headers;
}

/** A simulator with one account of each connection, and short ways to ask it. */
export async function simulated(webhookBase: string, more: Partial<SimulatorOptions> = {}) {
  const simulator = await startSimulator({
    port: 0,
    webhookBase,
    metaSecret: secrets.meta,
    instagramSecret: secrets.instagram,
    verifyToken: "verify-me",
    accounts: Object.values(accounts),
    ...more,
  });
  let open = true;
  const close = async () => {
    if (open) await simulator.close();
    open = false;
  };
  onTestFinished(close);

  const ask = async (method: string, path: string, body?: unknown, token?: string): Promise<Answered> => {
    const response = await fetch(`${simulator.url}${path}`, {
      method,
      redirect: "manual",
      headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
  };
  const sim = (path: string, body: unknown) => ask("POST", `/_sim${path}`, body);
  return {
    url: simulator.url,
    close,
    ask,
    sim,
    get: (path: string, token?: string) => ask("GET", path, undefined, token),
    personSends: async (account: keyof typeof accounts, fields: Fields = {}): Promise<Fields> => {
      const { externalId, connection } = accounts[account];
      const answer = await sim("/person-sends", { account: externalId, connection, text: "Hello", ...fields });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body;
    },
    /** Sends for an account as an app would. */
    send: (account: keyof typeof accounts, person: string, fields: Fields = {}) =>
      ask(
        "POST",
        `/${account === "login" ? "instagram" : "facebook"}_graph/v26.0/me/messages`,
        { recipient: { id: person }, messaging_type: "RESPONSE", message: { text: "Good day" }, ...fields },
        accounts[account].token,
      ),
  };
}

/** The one event of a webhook with a single entry. */
export function eventOf({ body }: Received): Fields {
  return body.entry[0].messaging[0];
}

export const isEcho = (one: Received): boolean => one.body.entry[0].messaging?.[0].message?.is_echo === true;
