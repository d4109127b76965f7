import { sleep } from "../clock.ts";
import { ParleyError } from "../errors.ts";
import type { HttpClient } from "../http-client.ts";
import { type Hello, type StreamEvent, splitFrame } from "./frames.ts";
import { PresenceReports, type PresenceState } from "./presence.ts";
import { RecentIds } from "./recent-ids.ts";
import { StreamSocket, type WebSocketConstructor, type WebSocketLike } from "./stream-socket.ts";

/**
 * - `connecting`: no connection stands, and the client gets one or waits to do so
 * - `open`: a connection stands
 * - `closed`: the stream ended for good
 */
export type RealtimeState = "connecting" | "open" | "closed";

export interface RealtimeOptions {
  /** Each event once. Events come in any order. An event of a type that you do not know may come. */
  readonly onEvent: (event: StreamEvent) => void;
  /**
   * A connection stands. Fetch what you show: events before this moment may be missing, later ones are reported. Is
   * called again after each reconnect.
   */
  readonly onHello?: ((hello: Hello) => void) | undefined;
  /**
   * The state changed. It begins as `connecting`, which is not reported. A lost connection is `connecting` at once; its
   * renewal changes nothing. Is called before `onHello` and `onClose`.
   */
  readonly onState?: ((state: RealtimeState) => void) | undefined;
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
/** The service closes a connection that sends a longer frame. */
const FRAME_BYTES_MAX = 4_096;

/** Gets each event, and null when events may be missing: at a hello, and when the connection was lost. */
type StreamListener = (event: StreamEvent | null) => void;

/** The realtime stream: connects, reconnects, and replaces each connection before its life is over. */
export class RealtimeConnection {
  readonly #http: HttpClient;
  readonly #options: RealtimeOptions;
  readonly #WebSocket: WebSocketConstructor;
  readonly #recentIds = new RecentIds();
  readonly #controller = new AbortController();
  /** The sockets whose frames are reported: during a renewal the old one and the new one. */
  readonly #sockets = new Set<StreamSocket>();
  readonly #listeners = new Set<StreamListener>();
  readonly #presence = new PresenceReports();
  #reportedState: RealtimeState = "connecting";
  /** Ends the wait before the next attempt. */
  #endWait: () => void = () => {};

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
      this.#reportState();
      options.onClose?.(error);
    });
    if (options.signal?.aborted) this.close();
  }

  get state(): RealtimeState {
    if (this.#controller.signal.aborted) return "closed";
    return [...this.#sockets].some((socket) => socket.isOpen) ? "open" : "connecting";
  }

  /** Whether a connection stands. */
  get isOpen(): boolean {
    return this.state === "open";
  }

  /**
   * Sends a frame as JSON on the connection that stands. Frames to a lost connection are not stored, and one that was sent
   * may be lost. The service ignores types that it does not know, and closes a connection of more than 60 frames in a minute.
   * Throws a ParleyError `invalid_argument` for a frame that is no JSON or over 4 KB, and nothing else.
   * @returns whether it was sent; false without a connection
   */
  send<Frame extends { readonly type: string }>(frame: Frame): boolean {
    const text = toFrameText(frame);
    return [...this.#sockets].some((socket) => socket.send(text));
  }

  /**
   * Reports what the signed-in person does with a conversation to the other people of the tenant, who get
   * `presence.updated`. Call it as often as it is true, such as at each key: a state that was sent is repeated only before
   * the others forget it, and at most 30 reports are sent in a minute. The service ignores those of a key.
   * @returns whether the state was sent, or is still known to the others; false without a connection and over the limit
   */
  presence(conversation_id: string, state: PresenceState): boolean {
    return this.#presence.report({ conversation_id, state }, this.#http.clock.now(), (frame) => this.send(frame));
  }

  /**
   * Asks whether the connection still stands, which a device may not know after it slept or changed its network: a page
   * calls this at the events `online`, `focus` and `visibilitychange`. Pings at once. Without any frame in 3 seconds the
   * connection counts as lost, and the client connects at once. A wait before the next attempt ends, unless the service
   * asked for it.
   */
  check(): void {
    for (const socket of this.#sockets) socket.check();
    this.#endWait();
  }

  /** Calls back with what `onEvent` gets. @returns a function that stops it @internal */
  listen(listener: StreamListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Closes the stream. Nothing is reported after but `onState` and `onClose`. */
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
        if (ending !== "lost") continue;
      } catch (reason) {
        if (signal.aborted) return null;
        const error = reason as ParleyError;
        if (isFinal(error)) return error;
        failures += 1;
        retryAfter = error.retryAfter;
        this.#options.onError?.(error);
      }
      const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** Math.max(0, failures - 1), BACKOFF_MAX_MS);
      const requestedMs = (retryAfter ?? 0) * 1_000;
      const mayEndAt = clock.now() + requestedMs;
      const delayMs = requestedMs + backoff * (0.5 + this.#http.random() / 2);
      try {
        await sleep(clock, delayMs, signal, (wake) => {
          this.#endWait = () => {
            if (clock.now() >= mayEndAt) wake();
          };
        });
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
        this.#presence.forget();
        this.#reportGap();
        this.#reportState();
        // `onState` may have closed the stream.
        if (!signal.aborted) this.#options.onHello?.(hello);
      },
      onFrame: (frame) => {
        for (const event of splitFrame(frame as StreamEvent)) this.#report(event);
      },
      onClose: () => {
        this.#sockets.delete(socket);
        // A closed stream reports its end once, when all has ended.
        if (!signal.aborted) this.#reportState();
      },
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
      address.searchParams.set("include", "conversation");
      return new this.#WebSocket(address.href);
    } catch (cause) {
      throw new ParleyError({ code: "connection_failed", message: "The stream has no valid address.", cause });
    }
  }

  #report(event: StreamEvent): void {
    if (typeof event.id !== "string" || !this.#recentIds.add(`${event.type} ${event.id}`)) return;
    for (const listener of this.#listeners) listener(event);
    this.#options.onEvent(event);
  }

  /** Reports each change of the state once. */
  #reportState(): void {
    const { state } = this;
    if (state === this.#reportedState) return;
    this.#reportedState = state;
    if (state !== "open") this.#reportGap();
    this.#options.onState?.(state);
  }

  #reportGap(): void {
    for (const listener of this.#listeners) listener(null);
  }

  #closeSockets(): void {
    for (const socket of this.#sockets) socket.close();
  }
}

/** The JSON of a frame. Throws a ParleyError `invalid_argument`. */
function toFrameText(frame: object): string {
  const text = toJson(frame);
  if (text === undefined)
    throw invalidFrame("The frame is not JSON. Send an object of texts, numbers, lists and objects.");
  if (new TextEncoder().encode(text).byteLength > FRAME_BYTES_MAX) {
    throw invalidFrame("The frame is too long. Send at most 4,096 bytes of JSON.");
  }
  return text;
}

function toJson(frame: object): string | undefined {
  try {
    return JSON.stringify(frame);
  } catch {
    return undefined;
  }
}

function invalidFrame(message: string): ParleyError {
  return new ParleyError({ code: "invalid_argument", message });
}

/** Whether another attempt would end as this one: the credential or the request is refused. */
function isFinal({ code, status }: ParleyError): boolean {
  if (code === "invalid_argument") return true;
  return status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429;
}
