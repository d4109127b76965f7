import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A receiver on loopback that counts its connections and requests. It ends with the test. */
export interface Receiver {
  readonly port: number;
  /** TCP connections accepted so far, with or without a request. */
  readonly connections: () => number;
  /** The number of these that are open. */
  readonly openConnections: () => number;
  /** Requests that arrived completely. */
  readonly requests: ReceivedRequest[];
  /** Bytes written to all connections, open or closed. */
  readonly bytesWritten: () => number;
}

export type Respond = (response: ServerResponse, received: ReceivedRequest, socket: Socket) => void;

export async function startReceiver(respond: Respond, identity?: { key: string; cert: string }): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const requests: ReceivedRequest[] = [];
  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const received = { method: request.method, url: request.url, headers: request.headers, body };
    requests.push(received);
    respond(response, received, request.socket);
  };
  const server = identity ? createSecureServer(identity, onRequest) : createServer(onRequest);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.size,
    openConnections: () => [...sockets].filter((socket) => !socket.destroyed).length,
    requests,
    bytesWritten: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0),
  };
}
