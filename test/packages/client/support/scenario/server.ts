import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { WebSocketServer } from "ws";
import { signWebhook } from "../../../support/sign-webhook.ts";
import { listenOnLoopback } from "../loopback.ts";
import type { Step } from "../scripted-server.ts";
import { eventFrame, helloFrame } from "../stream-server.ts";
import { guidedFaults, NOW } from "./faults.ts";
import type { ScenarioInput } from "./scenario.ts";
import { stepOf } from "./steps.ts";

export interface ScenarioServer extends AsyncDisposable {
  readonly input: ScenarioInput;
  /** The requests by path, since the last call of this function. */
  takeCounts(): Readonly<Record<string, number>>;
}

const SECRET = `whs_${Buffer.alloc(32, 9).toString("base64")}`;

/** A server that answers each request of `scenario.ts`. @param files further paths, such as a page */
export async function startScenarioServer(files: Readonly<Record<string, Step>> = {}): Promise<ScenarioServer> {
  let counts: Record<string, number> = {};
  const streams = new WebSocketServer({ noServer: true });
  const onRequest = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await incoming.toArray());
    const url = new URL(incoming.url ?? "", baseUrl());
    counts[url.pathname] = (counts[url.pathname] ?? 0) + 1;
    const request = { method: incoming.method ?? "", url: incoming.url ?? "", headers: incoming.headers, body };
    const step = files[url.pathname] ?? stepOf(baseUrl(), url);
    step(response, request);
  };
  const server = createServer((request, response) => void onRequest(request, response).catch(() => response.destroy()));
  // A browser repeats a request by itself when the server closes a connection that had an earlier one.
  server.maxRequestsPerSocket = 1;
  const baseUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on("upgrade", (request, socket, head) =>
    streams.handleUpgrade(request, socket, head, (webSocket) => {
      for (const frame of [helloFrame(), eventFrame("evt_1"), eventFrame("evt_1"), eventFrame("evt_last")]) {
        webSocket.send(frame);
      }
    }),
  );
  await listenOnLoopback(server);
  const mute = await startMuteServer();
  const body = JSON.stringify({ id: "evt_1", type: "test.event", data: { note: "Grüße" } });
  return {
    input: {
      baseUrl: baseUrl(),
      webhook: { body, headers: { ...signWebhook([SECRET], "evt_1", body, NOW) }, secret: SECRET },
      now: NOW,
      faults: Object.keys(guidedFaults(0)),
      hanging: { connect: mute.url, headers: `${baseUrl()}/hanging-headers`, body: `${baseUrl()}/hanging-body` },
    },
    takeCounts() {
      const taken = counts;
      counts = {};
      return taken;
    },
    async [Symbol.asyncDispose]() {
      mute.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Longer than a time-out of the scenario. Node.js waits for a handshake that it has no more use for. */
const HANDSHAKE_MS = 600;

/** Without TLS a handshake never ends, so no request is ever sent. */
async function startMuteServer(): Promise<{ readonly url: string; stop(): void }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    setTimeout(() => socket.destroy(), HANDSHAKE_MS);
  });
  await listenOnLoopback(server);
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
