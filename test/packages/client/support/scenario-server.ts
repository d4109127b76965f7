import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { signWebhook } from "../../../../shared/domain/delivery/signatures.ts";
import { listenOnLoopback } from "./loopback.ts";
import type { ScenarioInput } from "./scenario.ts";
import { disconnect, disconnectInBody, fail, ok, type Step, text } from "./scripted-server.ts";
import { eventFrame, helloFrame } from "./stream-server.ts";

export interface ScenarioServer extends AsyncDisposable {
  readonly input: ScenarioInput;
  /** The requests by path, since the last call of this function. */
  takeCounts(): Readonly<Record<string, number>>;
}

const NOW = Date.UTC(2026, 10, 23, 3);
const SECRET = `whs_${Buffer.alloc(32, 9).toString("base64")}`;

/** A server that answers each request of `scenario.ts`. @param files further paths, such as a page */
export async function startScenarioServer(files: Readonly<Record<string, Step>> = {}): Promise<ScenarioServer> {
  let counts: Record<string, number> = {};
  const streams = new WebSocketServer({ noServer: true });
  const onRequest = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await incoming.toArray());
    const { pathname, search } = new URL(incoming.url ?? "", baseUrl());
    counts[pathname] = (counts[pathname] ?? 0) + 1;
    const request = { method: incoming.method ?? "", url: incoming.url ?? "", headers: incoming.headers, body };
    const step = { ...steps(baseUrl(), search), ...files }[pathname] ?? replyStep(body);
    step(response, request);
  };
  const server = createServer((request, response) => void onRequest(request, response).catch(() => response.destroy()));
  const baseUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on("upgrade", (request, socket, head) =>
    streams.handleUpgrade(request, socket, head, (webSocket) => {
      for (const frame of [helloFrame(), eventFrame("evt_1"), eventFrame("evt_1"), eventFrame("evt_last")]) {
        webSocket.send(frame);
      }
    }),
  );
  await listenOnLoopback(server);
  const body = JSON.stringify({ id: "evt_1", type: "test.event", data: { note: "Grüße" } });
  return {
    input: {
      baseUrl: baseUrl(),
      webhook: { body, headers: { ...signWebhook([SECRET], "evt_1", body, NOW) }, secret: SECRET },
      now: NOW,
    },
    takeCounts() {
      const taken = counts;
      counts = {};
      return taken;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function steps(baseUrl: string, search: string): Record<string, Step> {
  const page = (ids: string[], next_cursor: string | null) => ok({ messages: ids.map((id) => ({ id })), next_cursor });
  const upload = { id: "upl_1", url: `${baseUrl}/storage`, fields: { key: "u/1" }, method: "POST" };
  return {
    "/v1/messages": search === "" ? page([], "c1") : search === "?cursor=c1" ? page(["a"], "c2") : page(["b"], null),
    "/v1/messages/bare-429": text(429, "", { "retry-after": "7" }),
    "/v1/messages/html-502": text(502, "<html>"),
    "/v1/messages/lost": disconnect,
    "/v1/messages/cut": disconnectInBody,
    "/v1/messages/redirect": text(302, "", { location: "/v1/ping" }),
    "/v1/messages/html-200": text(200, "<html>"),
    "/v1/messages/missing": fail(404, { code: "message_not_found" }),
    "/v1/messages/human-agent": ok({ hold: { id: "hold_1" } }, 202),
    "/v1/attachments/uploads": ok({ upload }, 201),
    "/storage": text(204, ""),
    "/v1/attachments": ok({ upload: { id: "upl_1", status: "processing" } }, 202),
    "/v1/attachments/uploads/upl_1": ok({
      upload: { id: "upl_1", status: "ready", attachment: { id: "185", type: "file" } },
    }),
    "/v1/realtime/ticket": ok({ ticket: "wst_1", url: `${baseUrl.replace("http", "ws")}/live` }),
  };
}

/** The replies: one is refused, so that a retry would show. */
function replyStep(body: Buffer): Step {
  return body.includes('"503"') ? text(503, "") : ok({ platform_message_id: "m_1" });
}

/** What each runtime must report. @param redirectStatus browsers hide the status of a redirect */
export function expectedResults(redirectStatus: number, stream: unknown): Record<string, unknown> {
  return {
    ids: ["a", "b"],
    "bare-429": { code: "rate_limited", status: 429 },
    "html-502": { code: "unexpected_response", status: 502 },
    lost: { code: "connection_failed", status: null },
    cut: { code: "connection_failed", status: null },
    redirect: { code: "unexpected_response", status: redirectStatus },
    "html-200": { code: "unexpected_response", status: 200 },
    missing: { code: "message_not_found", status: 404 },
    reply: { platform_message_id: "m_1" },
    refusedReply: { code: "unexpected_response", status: 503 },
    held: { hold: { id: "hold_1" } },
    aborted: { code: "aborted", status: null },
    upload: { id: "upl_1", status: "ready", attachment: { id: "185", type: "file" } },
    isPosted: true,
    event: { id: "evt_1", type: "test.event", data: { note: "Grüße" } },
    forged: { code: "signature_invalid", status: null },
    waits: [7_250, 7_500, 8_000, 9_000, ...Array(3).fill([250, 500, 1_000, 2_000]).flat(), 750],
    stream,
  };
}

/** The requests of one run. A browser may repeat a read on a connection that the server closed. */
export const expectedCounts = {
  "/v1/messages": 3,
  "/v1/messages/bare-429": 5,
  "/v1/messages/html-502": 5,
  "/v1/messages/redirect": 1,
  "/v1/messages/html-200": 1,
  "/v1/messages/missing": 1,
  "/v1/messages/reply": 2,
  "/v1/messages/human-agent": 1,
  "/storage": 1,
  "/v1/attachments": 1,
};
