import type { Socket } from "node:net";
import { ATTEMPT_READ_BYTES_MAX } from "../kernel/limits.ts";
import { AttemptFailure } from "./attempt-failure.ts";
import { InterimResponses } from "./interim-responses.ts";

/** The most that Node reads from a socket at once. */
const READ_BYTES_MAX = 64 * 1024;
/**
 * The most that the parser gets at once. It parses all of it, even after a limit, and creates an error for each header
 * beyond its limit: 60 ms for 64 KiB.
 */
const PARSE_BYTES_MAX = 1024;

/**
 * Stands between a connection and its HTTP parser, which takes its bytes with `read`. It removes interim responses, and
 * breaks the connection with `too_large` before an attempt reads more than 256 KiB, because a parser does not count
 * reason phrases, blank lines, chunk extensions and interim responses.
 * @param transport the socket beneath TLS, whose bytes count. Default: the connection itself.
 */
export function guardResponses(connection: Socket, transport: Socket = connection): void {
  const interimResponses = new InterimResponses();
  const readSocket = connection.read.bind(connection);
  let requestBytes = 0;
  let bytesBefore = 0;
  let bytes = 0;

  function beginAttempt(): void {
    requestBytes = connection.bytesWritten;
    bytesBefore = bytes;
    interimResponses.restart();
  }

  function enforceLimit(): void {
    if (transport.bytesRead - bytesBefore <= ATTEMPT_READ_BYTES_MAX - READ_BYTES_MAX) return;
    connection.destroy(new AttemptFailure({ error: "too_large" }));
  }

  // TLS session tickets come without data. A server may send any number of them.
  if (transport !== connection) connection.on("session", enforceLimit);
  connection.read = (size?: number): Buffer | null => {
    if (size !== undefined) return readSocket(size);
    while (!connection.destroyed) {
      const chunk: Buffer | null = readSocket(Math.min(PARSE_BYTES_MAX, connection.readableLength) || undefined);
      if (chunk === null) return null;
      // A connection has one request at a time, so the bytes that follow a request are its response.
      if (connection.bytesWritten !== requestBytes) beginAttempt();
      bytes = transport.bytesRead;
      enforceLimit();
      const response = interimResponses.remove(chunk);
      if (response.length > 0 && !connection.destroyed) return response;
    }
    return null;
  };
}
