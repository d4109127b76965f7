import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { LOOPBACK_HOST, type LoopbackCallers, loopbackRefusal } from "./loopback-rule.ts";

export interface LoopbackServerOptions extends ServerOptions {
  /** 0 selects a free port. */
  readonly port: number;
  /** The origins of other pages that may call this port. Default: none. */
  readonly origins?: readonly string[];
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
  /** Default: a request that offers another protocol is answered as any other. */
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

export interface LoopbackServer {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** For what Node.js does not pass on as a request. */
  readonly server: Server;
  close(): Promise<void>;
}

/**
 * Opens a port of this machine. Every port is opened here: it listens on loopback, and refuses with 403 what a page of
 * another origin sends and what comes under another name, before anything is read.
 */
export async function openLoopbackServer(options: LoopbackServerOptions): Promise<LoopbackServer> {
  const { port: requestedPort, origins = [], onRequest, onUpgrade, ...serverOptions } = options;
  const server = createServer(serverOptions);
  let callers: LoopbackCallers = { port: requestedPort, origins };
  server.on("request", (request, response) => {
    const refusal = loopbackRefusal(request, callers);
    if (refusal === null) onRequest(request, response);
    else response.writeHead(403, { "content-type": "application/json" }).end(JSON.stringify({ message: refusal }));
  });
  if (onUpgrade) {
    server.on("upgrade", (request, socket, head) => {
      if (loopbackRefusal(request, callers) === null) onUpgrade(request, socket, head);
      else refuseUpgrade(socket, 403);
    });
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(requestedPort, LOOPBACK_HOST, () => {
      callers = { port: (server.address() as AddressInfo).port, origins };
      resolve();
    });
  });
  const { port } = callers;
  return {
    port,
    origin: `http://${LOOPBACK_HOST}:${port}`,
    server,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Answers a handshake with a status and ends its connection. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.on("error", () => {});
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
