import type { Socket } from "node:net";
import { ATTEMPT_READ_BYTES_MAX, RESPONSE_TEXT_BYTES_MAX } from "../kernel/limits.ts";
import { AttemptFailure } from "./attempt-failure.ts";

const NONE: Buffer = Buffer.alloc(0);
const HEAD_END = "\r\n\r\n";
const CR = 0x0d;
const LF = 0x0a;
/** The length of `HTTP/1.1 100`. */
const STATUS_CHARS = 12;
/** Not 101: nothing is upgraded here, so the parser refuses it. */
const INTERIM_STATUS = /^HTTP\/1\.\d 1(?!01)\d\d/;

/**
 * Removes interim responses (100, 102, 103, …) from the bytes of a connection, because undici breaks a connection that
 * sends `100 Continue` without being asked for it. RFC 9110, 15.2: a client must be able to parse them, and may ignore
 * them. The blank lines before a status line go too.
 */
export class InterimResponses {
  #phase: "status" | "interim" | "final" = "status";
  /** Bytes of a status line or of the end of an interim response that are still incomplete. */
  #held = NONE;

  /** The next bytes start another response. */
  restart(): void {
    this.#phase = "status";
    this.#held = NONE;
  }

  /** The bytes of a chunk that belong to the final response. */
  remove(chunk: Buffer): Buffer {
    if (this.#phase === "final") return chunk;
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = NONE;
    for (;;) {
      if (this.#phase === "interim") {
        const end = bytes.indexOf(HEAD_END);
        if (end === -1) return this.#hold(bytes.subarray(1 - HEAD_END.length));
        bytes = bytes.subarray(end + HEAD_END.length);
        this.#phase = "status";
      }
      bytes = withoutBlankLines(bytes);
      const status = bytes.toString("latin1", 0, STATUS_CHARS);
      if (isIncomplete(status)) return this.#hold(bytes);
      if (!INTERIM_STATUS.test(status)) {
        this.#phase = "final";
        return bytes;
      }
      this.#phase = "interim";
    }
  }

  #hold(bytes: Buffer): Buffer {
    this.#held = bytes;
    return NONE;
  }
}

/** Whether more bytes can still make it an interim response. Anything else goes to the parser at once. */
function isIncomplete(status: string): boolean {
  return status.length < STATUS_CHARS && "HTTP/1.".startsWith(status.slice(0, "HTTP/1.".length));
}

function withoutBlankLines(bytes: Buffer): Buffer {
  let start = 0;
  while (bytes[start] === CR || bytes[start] === LF) start += 1;
  return start === 0 ? bytes : bytes.subarray(start);
}

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

/** What looks like one of Parley's secrets and signatures, or another credential: a receiver may answer with its request. */
const SECRETS = /\b(?:whs(?:ec)?_|svc_(?:live|test)_|v1[=,]|(?:bearer|basic)\s)[\w+/=.-]+/gi;

/** Controls other than tab and line breaks: the body is no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const BINARY = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * The beginning of a response's body as text, without secrets, at most 256 bytes of UTF-8.
 * @param body its first bytes, up to 256; of 256, the last character may be incomplete
 * @returns null for an empty body, and for one that is no text in UTF-8
 */
export function responseText(body: Uint8Array): string | null {
  const text = decodeText(body);
  if (text === null || text === "" || BINARY.test(text)) return null;
  return truncate(text.replace(SECRETS, "[redacted]"));
}

function decodeText(bytes: Uint8Array): string | null {
  const isCut = bytes.length >= RESPONSE_TEXT_BYTES_MAX;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}

/** A redaction may be longer than what it replaces. */
function truncate(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= RESPONSE_TEXT_BYTES_MAX) return text;
  return decodeText(bytes.subarray(0, RESPONSE_TEXT_BYTES_MAX)) ?? text;
}
