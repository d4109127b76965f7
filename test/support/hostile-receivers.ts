import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer } from "node:tls";

/** What a receiver writes to its raw socket after each request: the given text, then the flood without end. */
export interface HostileResponse {
  readonly start: string;
  /** Repeated as fast as the client reads it. Absent when the response ends after `start`. */
  readonly flood?: string;
  /** How the flood is written. Default: as fast as possible. `drip`: one byte every 50 ms; `bytes`: one byte a write. */
  readonly pace?: "drip" | "bytes";
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const EARLY_HINTS = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n";
/** Long enough that writing it is cheap for the receiver. */
const repeat = (text: string) => text.repeat(Math.ceil((64 * 1024) / text.length));

/** Interim responses that a normal response follows. They count as a normal response. */
export const interimResponses = {
  "100 Continue": { start: `HTTP/1.1 100 Continue\r\n\r\n${OK}` },
  "102 Processing": { start: `HTTP/1.1 102 Processing\r\n\r\n${OK}` },
  "103 Early Hints": { start: `${EARLY_HINTS}${OK}` },
  "103 and 100 in turn": { start: `${EARLY_HINTS}HTTP/1.1 100 Continue\r\nX-Id: 1\r\n\r\n${EARLY_HINTS}${OK}` },
  "blank lines and 100": { start: `\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n\r\n${OK}` },
} as const satisfies Record<string, HostileResponse>;

/** Responses without end, one for each part of a response that a parser reads without passing it on. */
export const endlessResponses = {
  "endless reason phrase": { start: "HTTP/1.1 200 ", flood: repeat("x") },
  "endless reason phrase of a 100": { start: "HTTP/1.1 100 ", flood: repeat("x") },
  "endless headers": { start: "HTTP/1.1 200 OK\r\n", flood: repeat("x-header: y\r\n") },
  "endless empty headers": { start: "HTTP/1.1 200 OK\r\n", flood: repeat("a:\r\n") },
  "endless header value": { start: "HTTP/1.1 200 OK\r\nx-header: ", flood: repeat("x") },
  "endless chunk extensions": { start: `${CHUNKED}1;`, flood: repeat("x") },
  "endless chunks of one byte": { start: CHUNKED, flood: repeat("1\r\nx\r\n") },
  "endless trailers": { start: `${CHUNKED}0\r\n`, flood: repeat("x-trailer: y\r\n") },
  "endless body": { start: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", flood: repeat("x") },
  "blank lines without a status line": { start: "", flood: repeat("\r\n") },
  "a flood of 100": { start: "", flood: repeat("HTTP/1.1 100 Continue\r\n\r\n") },
  "a flood of 102": { start: "", flood: repeat("HTTP/1.1 102 Processing\r\n\r\n") },
  "a flood of 103": { start: "", flood: repeat(EARLY_HINTS) },
} as const satisfies Record<string, HostileResponse>;

export const slowDrip: HostileResponse = { start: "HTTP/1.1 200 ", flood: "x", pace: "drip" };

export interface HostileReceiver extends AsyncDisposable {
  readonly port: number;
  /** Connections accepted so far. */
  readonly connections: () => number;
}

/**
 * A receiver on loopback that writes a response to the raw socket after each complete request.
 * @param identity serves TLS with this certificate
 */
export async function startHostileReceiver(
  response: HostileResponse | (() => HostileResponse),
  identity?: { readonly key: string; readonly cert: string },
): Promise<HostileReceiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const serve = (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    let request = "";
    socket.on("data", (bytes: Buffer) => {
      request += bytes.toString("latin1");
      if (!isComplete(request)) return;
      request = "";
      respond(socket, typeof response === "function" ? response() : response);
    });
  };
  const server: Server = identity ? createSecureServer(identity, serve) : createServer(serve);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Whether the head and the body of a request with a content length have arrived. */
function isComplete(request: string): boolean {
  const [head = "", body] = request.split("\r\n\r\n", 2);
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  return body !== undefined && body.length >= length;
}

function respond(socket: Socket, { start, flood = "", pace }: HostileResponse): void {
  socket.write(start, "latin1");
  if (flood === "") return;
  if (pace === "drip") {
    const timer = setInterval(() => socket.write(flood.slice(0, 1), "latin1"), 50);
    socket.on("close", () => clearInterval(timer));
    return;
  }
  // Each write over TLS is a record of its own.
  const bytes = Buffer.from(pace === "bytes" ? flood.slice(0, 1) : flood, "latin1");
  const writeOn = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on("drain", writeOn);
  writeOn();
}
