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
