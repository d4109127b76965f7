import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type SimulatorOptions, startSimulator } from "../../../packages/simulator/src/simulator.ts";
import { controlHeaders, testControlToken } from "../../support/access/control-token.ts";

export const testSecrets = { meta: "meta-secret", instagram: "instagram-secret" };
export const testPage = { id: "104512347788901", token: "EAATestPage" };
export const testAccounts = {
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
    pageId: testPage.id,
    handle: "bikes",
    displayName: "Bikes",
    token: testPage.token,
  },
  messenger: {
    connection: "messenger",
    externalId: testPage.id,
    pageId: testPage.id,
    handle: "bikesonpage",
    displayName: "Bikes",
    token: testPage.token,
  },
} as const;

export interface ReceivedWebhook {
  path: string;
  headers: IncomingHttpHeaders;
  raw: string;
  body: Fields;
}
// biome-ignore lint/suspicious/noExplicitAny: answers are read field by field, and a wrong field fails the test.
export type Fields = Record<string, any>;

/** A webhook receiver that records its requests and answers as its settings say. */
export async function startWebhookReceiver() {
  const received: ReceivedWebhook[] = [];
  const waiters = new Set<() => void>();
  const behavior = { status: 200, challenge: "", silent: false };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.method === "GET") {
        const query = new URL(request.url ?? "/", "http://receiver.invalid").searchParams;
        const tokenMatches = query.get("hub.verify_token") === behavior.challenge;
        response.writeHead(tokenMatches ? 200 : 403).end(tokenMatches ? query.get("hub.challenge") : "");
        return;
      }
      const raw = Buffer.concat(chunks).toString("latin1");
      received.push({ path: request.url ?? "", headers: request.headers, raw, body: JSON.parse(raw) });
      if (!behavior.silent) response.writeHead(behavior.status).end();
      for (const watch of waiters) watch();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got: received,
    settings: behavior,
    /** Resolves with the matching webhooks once there are `count`. Times out with the test. */
    async waitForWebhooks(
      count: number,
      matches: (webhook: ReceivedWebhook) => boolean = () => true,
    ): Promise<ReceivedWebhook[]> {
      for (;;) {
        const matching = received.filter(matches);
        if (matching.length >= count) return matching;
        await new Promise<void>((resolve) => {
          const notify = () => {
            waiters.delete(notify);
            resolve();
          };
          waiters.add(notify);
        });
      }
    },
  };
}

export interface SimulatorResponse {
  status: number;
  body: Fields;
  headers: Headers;
}

/** A simulator with one account of each connection, and shortcuts for its routes. */
export async function startTestSimulator(webhookBase: string, overrides: Partial<SimulatorOptions> = {}) {
  const simulator = await startSimulator({
    port: 0,
    webhookBase,
    metaSecret: testSecrets.meta,
    instagramSecret: testSecrets.instagram,
    verifyToken: "verify-me",
    controlToken: testControlToken,
    accounts: Object.values(testAccounts),
    ...overrides,
  });
  let running = true;
  const close = async () => {
    if (running) await simulator.close();
    running = false;
  };
  onTestFinished(close);

  /** Calls a control route with the control token, and any other with the token that is given. */
  const request = async (method: string, path: string, body?: unknown, token?: string): Promise<SimulatorResponse> => {
    const authorization = token ? { authorization: `Bearer ${token}` } : {};
    const response = await fetch(`${simulator.url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        "Content-Type": "application/json",
        ...(path.startsWith("/_sim/") ? controlHeaders(token) : authorization),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
  };
  const control = (path: string, body: unknown) => request("POST", `/_sim${path}`, body);
  return {
    url: simulator.url,
    close,
    ask: request,
    sim: control,
    get: (path: string, token?: string) => request("GET", path, undefined, token),
    personSends: async (account: keyof typeof testAccounts, fields: Fields = {}): Promise<Fields> => {
      const { externalId, connection } = testAccounts[account];
      const answer = await control("/person-sends", { account: externalId, connection, text: "Hello", ...fields });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body;
    },
    /** Sends for an account, as an app does. */
    sendToPerson: (account: keyof typeof testAccounts, person: string, fields: Fields = {}) =>
      request(
        "POST",
        `/${account === "login" ? "instagram" : "facebook"}_graph/v26.0/me/messages`,
        { recipient: { id: person }, messaging_type: "RESPONSE", message: { text: "Good day" }, ...fields },
        testAccounts[account].token,
      ),
  };
}

/** The one event of a webhook with a single entry. */
export function firstEvent({ body }: ReceivedWebhook): Fields {
  return body.entry[0].messaging[0];
}

export const isEcho = (webhook: ReceivedWebhook): boolean =>
  webhook.body.entry[0].messaging?.[0].message?.is_echo === true;

/** The settings of a connector that calls a simulator. */
export const simulatorUpstream = ({ url }: { readonly url: string }) => ({
  facebookGraph: `${url}/facebook_graph`,
  instagramGraph: `${url}/instagram_graph`,
  graphVersion: "v26.0",
});
