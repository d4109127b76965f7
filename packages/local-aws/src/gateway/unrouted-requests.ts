import { randomUUID } from "node:crypto";
import { type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** The methods of an HTTP API. */
const METHODS = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r?\n/;

/** An error of the parser, with the bytes that it refused. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Answers what Node.js does not pass on as a request: an unknown method and CONNECT with 405, all else as by default.
 * @param methodBody the JSON of a 405
 */
export function answerUnroutedRequests(server: Server, methodBody: string): void {
  const end = (socket: Duplex, status: number): void => endSocket(socket, status, status === 405 ? methodBody : "");
  server.on("connect", (_request, socket) => end(socket, 405));
  server.on("clientError", (error: ParserError, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else end(socket, toStatus(error));
  });
}

function toStatus({ code, rawPacket }: ParserError): number {
  switch (code) {
    case "HPE_INVALID_METHOD":
      return REQUEST_LINE.test(rawPacket?.toString("latin1") ?? "") ? 405 : 400;
    case "HPE_HEADER_OVERFLOW":
      return 431;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return 408;
    default:
      return 400;
  }
}

function endSocket(socket: Duplex, status: number, body: string): void {
  const headers = {
    ...(status === 405 ? { allow: METHODS, "x-correlation-id": randomUUID() } : {}),
    ...(body === "" ? {} : { "content-type": "application/json" }),
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}
