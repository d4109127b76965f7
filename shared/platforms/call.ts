import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Millis } from "../kernel/time.ts";

const RESPONSE_BYTES_MAX = 1024 * 1024;

interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One request. Node holds its bytes back until it has a connection, handshake included. */
export class Call {
  readonly #connectTimeout: Millis;
  #connected = false;

  /** @param connectTimeout milliseconds until the connection must be there */
  constructor(connectTimeout: Millis) {
    this.#connectTimeout = connectTimeout;
  }

  /** False as long as it is certain that no byte of the request left. */
  get mayBeSent(): boolean {
    return this.#connected;
  }

  /**
   * Makes the request and reads the whole answer, of at most a megabyte.
   * @throws whatever was wrong with the request, its connection or the answer
   */
  async send(openRequest: () => ClientRequest, body: Buffer | null): Promise<HttpResponse> {
    const request = openRequest();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const onTimeout = () => request.destroy(new Error("No connection in time."));
      const timer = setTimeout(onTimeout, this.#connectTimeout);
      const onConnected = () => {
        clearTimeout(timer);
        this.#connected = true;
      };
      request.on("socket", (socket) => {
        if (request.reusedSocket) onConnected();
        else socket.once("encrypted" in socket ? "secureConnect" : "connect", onConnected);
      });
      request.on("response", resolve);
      request.on("error", reject);
      request.on("close", () => clearTimeout(timer));
      request.end(body);
    });
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > RESPONSE_BYTES_MAX) throw new Error("The answer is too long.");
      chunks.push(chunk);
    }
    return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() };
  }
}
