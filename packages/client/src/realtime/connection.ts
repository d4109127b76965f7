import { sleep } from "../clock.ts";
import { ParleyError } from "../errors.ts";
import type { HttpClient } from "../http-client.ts";
import type { Hello, StreamEvent } from "./frames.ts";
import { RecentIds } from "./recent-ids.ts";
import { StreamSocket, type WebSocketConstructor, type WebSocketLike } from "./stream-socket.ts";

export interface RealtimeOptions {
  /** Each event once. Events come in any order. An event of a type that you do not know may come. */
  readonly onEvent: (event: StreamEvent) => void;
  /**
   * A connection stands. Fetch what you show: events before this moment may be missing, later ones are reported. Is
   * called again after each reconnect.
   */
  readonly onHello?: ((hello: Hello) => void) | undefined;
  /** An attempt to connect failed, and the next one follows. */
  readonly onError?: ((error: ParleyError) => void) | undefined;
  /** The stream ended for good: an error such as a revoked key, or null after `close`. */
  readonly onClose?: ((error: ParleyError | null) => void) | undefined;
  /** Closes the stream. */
  readonly signal?: AbortSignal | undefined;
  readonly tenant?: string | undefined;
  /** Milliseconds, below the 10 minutes after which the service closes an idle connection. Default: 240,000. */
  readonly pingIntervalMs?: number | undefined;
  /** For a runtime without a WebSocket, such as Node.js 20: that of the package `ws`. */
  readonly WebSocket?: WebSocketConstructor | undefined;
}

const PING_INTERVAL_MS = 240_000;
const FIRST_BACKOFF_MS = 1_000;
const BACKOFF_MAX_MS = 60_000;
/** A connection that lives shorter counts as a failed one, so that a server that drops all is not called in a loop. */
const STABLE_MS = 60_000;

/** The realtime stream: connects, reconnects, and replaces each connection before its life is over. */
export class RealtimeConnection {
  readonly #http: HttpClient;
  readonly #options: RealtimeOptions;
  readonly #WebSocket: WebSocketConstructor;
  readonly #recentIds = new RecentIds();
  readonly #controller = new AbortController();
  /** The sockets whose frames are reported: during a renewal the old one and the new one. */
  readonly #sockets = new Set<StreamSocket>();

  constructor(http: HttpClient, options: RealtimeOptions) {
    const runtime = globalThis as { readonly WebSocket?: unknown };
    const socketConstructor = options.WebSocket ?? (runtime.WebSocket as WebSocketConstructor | undefined);
    if (socketConstructor === undefined) {
      const message = "Missing WebSocket. Pass that of the package ws: this runtime has none.";
      throw new ParleyError({ code: "invalid_argument", message });
    }
    this.#WebSocket = socketConstructor;
    this.#http = http;
    this.#options = options;
    const onAbort = () => this.close();
    options.signal?.addEventListener("abort", onAbort, { once: true });
    void this.#run().then((error) => {
      options.signal?.removeEventListener("abort", onAbort);
      this.#controller.abort();
      this.#closeSockets();
      options.onClose?.(error);
    });
    if (options.signal?.aborted) this.close();
  }

  /** Whether a connection stands. */
  get isOpen(): boolean {
    return [...this.#sockets].some((socket) => socket.isOpen);
  }

  /** Closes the stream. Nothing is reported after but `onClose`. */
  close(): void {
    this.#controller.abort();
    this.#closeSockets();
  }

  /** Connects until the stream is closed. @returns the error that ended it, or null */
  async #run(): Promise<ParleyError | null> {
    const { clock } = this.#http;
    const { signal } = this.#controller;
    for (let failures = 0; ; ) {
      let retryAfter: number | null = null;
      try {
        const socket = await this.#connect();
        const openedAt = clock.now();
        const ending = await socket.ending;
        failures = ending === "renew" || clock.now() - openedAt >= STABLE_MS ? 0 : failures + 1;
        if (ending === "renew") continue;
      } catch (reason) {
        if (signal.aborted) return null;
        const error = reason as ParleyError;
        if (isFinal(error)) return error;
        failures += 1;
        retryAfter = error.retryAfter;
        this.#options.onError?.(error);
      }
      const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** Math.max(0, failures - 1), BACKOFF_MAX_MS);
      const delayMs = (retryAfter ?? 0) * 1_000 + backoff * (0.5 + this.#http.random() / 2);
      try {
        await sleep(clock, delayMs, signal);
      } catch {
        return null;
      }
    }
  }

  /** A connection that said hello. Then the earlier ones are closed. */
  async #connect(): Promise<StreamSocket> {
    const { signal } = this.#controller;
    const { tenant, pingIntervalMs = PING_INTERVAL_MS } = this.#options;
    const parts = { query: { tenant }, signal };
    const { ticket, url } = this.#http.hasSession
      ? await this.#http.request("POST /console/session/ws-ticket", parts)
      : await this.#http.request("POST /v1/realtime/ticket", parts);
    const earlier = [...this.#sockets];
    const socket: StreamSocket = new StreamSocket(this.#open(url, ticket), {
      clock: this.#http.clock,
      random: this.#http.random,
      pingIntervalMs,
      onHello: (hello) => {
        for (const other of earlier) other.close();
        this.#options.onHello?.(hello);
      },
      onFrame: (frame) => this.#report(frame as StreamEvent),
      onClose: () => this.#sockets.delete(socket),
    });
    this.#sockets.add(socket);
    if (signal.aborted) socket.close();
    await socket.hello;
    return socket;
  }

  #open(url: string, ticket: string): WebSocketLike {
    try {
      const address = new URL(url);
      address.searchParams.set("ticket", ticket);
      return new this.#WebSocket(address.href);
    } catch (cause) {
      throw new ParleyError({ code: "connection_failed", message: "The stream has no valid address.", cause });
    }
  }

  #report(event: StreamEvent): void {
    if (typeof event.id === "string" && this.#recentIds.add(`${event.type} ${event.id}`)) this.#options.onEvent(event);
  }

  #closeSockets(): void {
    for (const socket of this.#sockets) socket.close();
  }
}

/** Whether another attempt would end as this one: the credential or the request is refused. */
function isFinal({ code, status }: ParleyError): boolean {
  if (code === "invalid_argument") return true;
  return status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429;
}
