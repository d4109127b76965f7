import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { observeFrame } from "../../../support/conformance/observed.ts";
import { listenOnLoopback } from "./loopback.ts";
import { ok, type ScriptedRequest, type Step } from "./scripted-server.ts";

export interface StreamServer extends AsyncDisposable {
  readonly url: string;
  readonly ticketRequests: readonly ScriptedRequest[];
  /** The tickets of the accepted and refused handshakes, in order. */
  readonly handshakes: readonly (string | null)[];
  /** What the handshakes asked to include, in order. */
  readonly includes: readonly (string | null)[];
  /** The accepted connections, in order. */
  readonly sockets: readonly WebSocket[];
  /** The frames of the clients, in order. */
  readonly frames: readonly string[];
  /** Answers the requests of tickets; each step one, the last one all further. Without steps each gets a ticket. */
  playTickets(...steps: Step[]): void;
  /** The status of the next handshakes. 101 accepts. */
  handshakeStatus: number;
}

/** A server of tickets and of the stream, which sends only what a test sends. */
export async function startStreamServer(): Promise<StreamServer> {
  const streams = new WebSocketServer({ noServer: true });
  const server = createServer(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray());
    const request = { method: incoming.method ?? "", url: incoming.url ?? "", headers: incoming.headers, body };
    const step = steps[Math.min(ticketRequests.length, steps.length - 1)] ?? nextTicket();
    ticketRequests.push(request);
    step(response, request);
  });
  let steps: readonly Step[] = [];
  const ticketRequests: ScriptedRequest[] = [];
  const handshakes: (string | null)[] = [];
  const includes: (string | null)[] = [];
  const sockets: WebSocket[] = [];
  const frames: string[] = [];
  const nextTicket = () =>
    ok({
      ticket: `wst_${ticketRequests.length + 1}`,
      expires_at: 0,
      expires_in_ms: 60_000,
      url: `ws://127.0.0.1:${port()}/live`,
    });
  server.on("upgrade", (request, socket, head) => {
    const query = new URL(request.url ?? "", "http://localhost").searchParams;
    handshakes.push(query.get("ticket"));
    includes.push(query.get("include"));
    if (result.handshakeStatus !== 101) {
      socket.end(`HTTP/1.1 ${result.handshakeStatus} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    streams.handleUpgrade(request, socket, head, (webSocket) => {
      sockets.push(webSocket);
      webSocket.on("message", (data) => {
        observeFrame("client", String(data));
        frames.push(String(data));
      });
    });
  });
  await listenOnLoopback(server);
  const port = () => (server.address() as AddressInfo).port;
  const result: StreamServer = {
    url: `http://127.0.0.1:${port()}`,
    ticketRequests,
    handshakes,
    includes,
    sockets,
    frames,
    playTickets(...nextSteps) {
      steps = nextSteps;
    },
    handshakeStatus: 101,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return result;
}

/** The first frame of a connection of two hours. */
export function helloFrame(connection_id = "c1"): string {
  return JSON.stringify({ type: "hello", connection_id, server_time: 1_000, expires_at: 1_000 + 7_200_000 });
}

export function eventFrame(id: string, type = "message.received", data: object | null = {}): string {
  return JSON.stringify({ id, type, api_version: "1.0.0", created_at: "", tenant_id: "demo", data });
}
