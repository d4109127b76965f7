import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A port without a listener. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = serverPort(server);
  await closeServer(server);
  return port;
}

/** A webhook receiver that never answers. */
export async function openHangingReceiver(): Promise<{
  url: string;
  hangingRequests: () => number;
  close: () => Promise<void>;
}> {
  let hangingRequests = 0;
  const server = createServer(() => {
    hangingRequests += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${serverPort(server)}/`,
    hangingRequests: () => hangingRequests,
    close: () => closeServer(server),
  };
}

/** The routes that `listen` calls. DELETE gets `deleteResponse` after `deleteGate`; null cuts the connection. */
export async function openFakeStack(
  deleteResponse: readonly [number, object] | null,
  deleteGate: Promise<void> = Promise.resolve(),
) {
  const requests: string[] = [];
  const created = { ok: true, data: { endpoint: { id: "E1" }, signing_secret: "whs_x" } };
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    const [status, body] = request.method === "POST" ? ([200, created] as const) : (deleteResponse ?? [0, {}]);
    const respond = (): void => {
      if (status === 0) request.socket.destroy();
      else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.method === "POST") respond();
    else void deleteGate.then(respond);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const dataDir = mkdtempSync(join(tmpdir(), "parley-listen-"));
  writeFileSync(join(dataDir, "environment.json"), "{}");
  const local = { base_url: `http://127.0.0.1:${serverPort(server)}`, live_key: "key" };
  writeFileSync(join(dataDir, "local.json"), JSON.stringify(local));
  return {
    dataDir,
    requests,
    async close() {
      rmSync(dataDir, { recursive: true });
      await closeServer(server);
    },
  };
}

function serverPort(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** Whether a port has a listener. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
