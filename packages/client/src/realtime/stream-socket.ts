import type { Clock } from "../clock.ts";
import { ParleyError } from "../errors.ts";
import { type Hello, parseFrame } from "./frames.ts";

/** The part of the WebSocket interface that the client uses. Browsers, Node.js 22 and the package `ws` have it. */
export interface WebSocketLike {
  /** 1 while the connection is open. */
  readonly readyState?: number;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close" | "error", listener: () => void): void;
  send(data: string): void;
  close(): void;
}
export type WebSocketConstructor = new (url: string) => WebSocketLike;

export interface SocketOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly pingIntervalMs: number;
  readonly onHello: (hello: Hello) => void;
  /** Each frame but `hello` and `pong`. */
  readonly onFrame: (frame: { readonly type: string }) => void;
  /** Is called once, when no further frame is reported. */
  readonly onClose: () => void;
}

/** Longer than the two seconds after which the service sends `hello`. */
const HELLO_TIMEOUT_MS = 30_000;
const PONG_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUT_MS = 3_000;
const PING = '{"type":"ping"}';
/** The ready state of an open WebSocket. */
const OPEN = 1;
/** A connection is replaced after 85 to 95 % of its life. */
const RENEW_AFTER = 0.85;
const RENEW_SPREAD = 0.1;
const RENEW_MIN_MS = 10_000;

/** Why a connection is to be replaced: its life is nearly over, it is over, or a check got no answer. */
export type Ending = "renew" | "lost" | "unresponsive";

/** One connection, from its handshake to its end. */
export class StreamSocket {
  /** Resolves with the first frame. Throws a ParleyError when there is none. */
  readonly hello: Promise<void>;
  readonly ending: Promise<Ending>;
  readonly #socket: WebSocketLike;
  readonly #options: SocketOptions;
  #onHello!: () => void;
  #onNoHello!: (error: ParleyError) => void;
  #end!: (ending: Ending) => void;
  #state: "connecting" | "open" | "closed" = "connecting";
  #cancelTimers: (() => void)[] = [];
  #cancelPongTimeout: (() => void) | null = null;
  #check: "none" | "running" | "running, and another is due" = "none";
  /** Whether a frame came since the ping of the last check. */
  #isAlive = true;

  constructor(socket: WebSocketLike, options: SocketOptions) {
    this.#socket = socket;
    this.#options = options;
    this.ending = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.hello = new Promise((resolve, reject) => {
      this.#onHello = resolve;
      this.#onNoHello = reject;
    });
    // No caller awaits it when the stream was closed in between.
    this.hello.catch(() => {});
    this.#after(HELLO_TIMEOUT_MS, () => this.close());
    socket.addEventListener("close", () => this.close());
    // A close follows each error.
    socket.addEventListener("error", () => {});
    socket.addEventListener("message", ({ data }) => this.#onMessage(data));
  }

  /** Whether it said hello and is not closed. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Sends a text if the connection is open. @returns whether it was handed to the socket */
  send(text: string): boolean {
    const { readyState = OPEN } = this.#socket;
    if (!this.isOpen || readyState !== OPEN) return false;
    try {
      this.#socket.send(text);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Pings now. Without any frame in 3 seconds the connection ends as `unresponsive`. During these seconds further checks
   * are one, which follows: the service closes a connection of more than 60 frames in a minute.
   */
  check(): void {
    if (!this.isOpen) return;
    if (this.#check !== "none") {
      this.#check = "running, and another is due";
      return;
    }
    this.#check = "running";
    this.#isAlive = false;
    this.send(PING);
    this.#after(CHECK_TIMEOUT_MS, () => {
      const isAnotherDue = this.#check === "running, and another is due";
      this.#check = "none";
      if (!this.#isAlive) this.close("unresponsive");
      else if (isAnotherDue) this.check();
    });
  }

  /** Ends the connection. No frame is reported after. */
  close(ending: Ending = "lost"): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#cancelAll();
    this.#socket.close();
    this.#onNoHello(new ParleyError({ code: "connection_failed", message: "The stream refused the connection." }));
    this.#end(ending);
    this.#options.onClose();
  }

  #onMessage(data: unknown): void {
    const frame = parseFrame(data);
    if (this.#state === "closed" || frame === null) return;
    this.#isAlive = true;
    this.#cancelPongTimeout?.();
    this.#cancelPongTimeout = null;
    if (frame.type === "hello") this.#open(frame as Hello);
    else if (frame.type !== "pong") this.#options.onFrame(frame);
  }

  #open(hello: Hello): void {
    this.#state = "open";
    this.#cancelAll();
    // The server's clock counts, so that a wrong clock here changes nothing.
    const lifeMs = (hello.expires_at - hello.server_time) * (RENEW_AFTER + RENEW_SPREAD * this.#options.random());
    if (Number.isFinite(lifeMs)) this.#after(Math.max(lifeMs, RENEW_MIN_MS), () => this.#end("renew"));
    this.#schedulePing();
    this.#onHello();
    this.#options.onHello(hello);
  }

  #cancelAll(): void {
    for (const cancel of this.#cancelTimers.splice(0)) cancel();
    this.#cancelPongTimeout?.();
  }

  #schedulePing(): void {
    this.#after(this.#options.pingIntervalMs, () => {
      this.#schedulePing();
      this.send(PING);
      this.#cancelPongTimeout ??= this.#options.clock.schedule(() => this.close(), PONG_TIMEOUT_MS);
    });
  }

  #after(delayMs: number, callback: () => void): void {
    this.#cancelTimers.push(this.#options.clock.schedule(callback, delayMs));
  }
}
