import { type ClientOptions, WebSocket } from "ws";
import { observeFrame } from "../conformance/observed.ts";
import { isObserved } from "../conformance/observed-fetch.ts";

/** The server refused the handshake. */
export class HandshakeRefused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The handshake was refused with ${status}.`);
    this.status = status;
  }
}

/** A client of a WebSocket API. */
export interface TestSocket {
  /** The texts of all messages so far. */
  readonly messages: readonly string[];
  /** Resolves with the status of the end. */
  readonly ended: Promise<{ readonly code: number; readonly reason: string }>;
  /** The oldest message that fits and that no earlier call returned; waits for it if it has not come. */
  next(fits?: (text: string) => boolean): Promise<string>;
  /** Calls back with each further message. */
  onMessage(callback: (text: string) => void): void;
  /** A text message in one frame, or in several: `more` follow it. */
  send(text: string, more?: readonly string[]): void;
  sendBinary(data: Uint8Array): void;
  /** Sends a ping of the protocol and waits for its pong: by then the server has read what was sent before. */
  ping(): Promise<void>;
  close(code?: number, reason?: string): void;
  /** Cuts the connection without a word. */
  terminate(): void;
}

/** Opens a socket. Each frame of a stack is checked against the OpenAPI document. Throws HandshakeRefused. */
export function openSocket(url: string, options: ClientOptions = {}): Promise<TestSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false, ...options });
  const isStream = isObserved(url);
  const messages: string[] = [];
  const unread: string[] = [];
  const waiting: { fits: (text: string) => boolean; resolve: (text: string) => void }[] = [];
  const ended = Promise.withResolvers<{ code: number; reason: string }>();
  socket.on("close", (code, reason) => ended.resolve({ code, reason: reason.toString() }));
  socket.on("message", (data) => {
    const text = data.toString();
    messages.push(text);
    if (isStream) observeFrame("server", text);
    const at = waiting.findIndex(({ fits }) => fits(text));
    const [waiter] = at === -1 ? [] : waiting.splice(at, 1);
    if (waiter) waiter.resolve(text);
    else unread.push(text);
  });
  const { promise, resolve, reject } = Promise.withResolvers<TestSocket>();
  socket.on("unexpected-response", (request, response) => {
    reject(new HandshakeRefused(response.statusCode ?? 0));
    request.destroy();
  });
  // Later errors end the connection, and `ended` has its status.
  socket.on("error", reject);
  socket.on("open", () =>
    resolve({
      messages,
      ended: ended.promise,
      next: (fits = () => true) => {
        const at = unread.findIndex(fits);
        const [text] = at === -1 ? [] : unread.splice(at, 1);
        if (text !== undefined) return Promise.resolve(text);
        const next = Promise.withResolvers<string>();
        waiting.push({ fits, resolve: next.resolve });
        return next.promise;
      },
      onMessage: (callback) => void socket.on("message", (data) => callback(data.toString())),
      send(text, more = []) {
        const frames = [text, ...more];
        for (const [at, frame] of frames.entries()) socket.send(frame, { fin: at === frames.length - 1 });
      },
      sendBinary: (data) => socket.send(data, { binary: true }),
      ping: () =>
        new Promise((resolve) => {
          socket.once("pong", () => resolve());
          socket.ping();
        }),
      close: (code, reason) => socket.close(code, reason),
      terminate: () => socket.terminate(),
    }),
  );
  return promise;
}

/** The status with which a handshake was refused. Throws if it was accepted. */
export async function refusalOf(opening: Promise<TestSocket>): Promise<number> {
  try {
    (await opening).terminate();
  } catch (error) {
    if (error instanceof HandshakeRefused) return error.status;
    throw error;
  }
  throw new Error("The handshake was accepted.");
}
