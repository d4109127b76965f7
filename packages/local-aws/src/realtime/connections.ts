import type { WebSocket } from "ws";
import { ClockTimer } from "../emulators/timer.ts";
import { HOUR, MINUTE, type Millis, SECOND } from "../support/time.ts";
import type { ConnectionIdentity } from "./events.ts";

/** Source of the limits: API Gateway, "Quotas for configuring and running a WebSocket API". */
const DURATION_MAX: Millis = 2 * HOUR;
/** Without a message in either direction. Pings of the protocol do not count. */
const IDLE_MAX: Millis = 10 * MINUTE;
/** The gateway refuses to send to a client that does not read. */
const UNREAD_MAX_BYTES = 2 ** 20;
/** A client that does not answer the end of its connection has this real time to do so. */
const CLOSE_MAX: Millis = SECOND;

/** An open connection. */
export interface Connection {
  readonly identity: ConnectionIdentity;
  readonly lastActiveAt: Millis;
}

/** The status of the end of a connection, as its `$disconnect` has it. */
export interface ConnectionEnd {
  readonly code: number;
  readonly reason: string;
}

const goingAway: ConnectionEnd = { code: 1001, reason: "Going away" };

interface OpenConnection extends Connection {
  readonly socket: WebSocket;
  readonly onEnd: (end: ConnectionEnd) => void;
  lastActiveAt: Millis;
}

/** The open connections. They end with their process, as nothing else of the stack does. */
export class Connections {
  readonly #now: () => Millis;
  readonly #open = new Map<string, OpenConnection>();
  readonly #timer: ClockTimer;
  #checkAt = Number.POSITIVE_INFINITY;

  constructor(now: () => Millis) {
    this.#now = now;
    this.#timer = new ClockTimer(now, () => this.endExpired());
  }

  get count(): number {
    return this.#open.size;
  }

  /** @param onEnd called once, when either side ends the connection, and not when the process does */
  add(identity: ConnectionIdentity, socket: WebSocket, onEnd: (end: ConnectionEnd) => void): void {
    const connection = { identity, socket, onEnd, lastActiveAt: this.#now() };
    this.#open.set(identity.connectionId, connection);
    this.#checkBy(endOf(connection));
  }

  get(connectionId: string): Connection | undefined {
    return this.#open.get(connectionId);
  }

  /** The client sent a message. */
  touch(connectionId: string): void {
    const connection = this.#open.get(connectionId);
    if (connection) connection.lastActiveAt = this.#now();
  }

  /** Sends a text frame. */
  send(connectionId: string, data: Buffer | string): "sent" | "gone" | "full" {
    const connection = this.#open.get(connectionId);
    if (!connection) return "gone";
    if (connection.socket.bufferedAmount > UNREAD_MAX_BYTES) return "full";
    connection.lastActiveAt = this.#now();
    connection.socket.send(data, { binary: false });
    return "sent";
  }

  /** Ends a connection. From now on it is gone, whether or not its client answers. */
  end(connectionId: string, end: ConnectionEnd): boolean {
    const connection = this.#open.get(connectionId);
    if (!connection) return false;
    this.remove(connectionId, end);
    connection.socket.close(end.code, end.reason);
    setTimeout(() => connection.socket.terminate(), CLOSE_MAX).unref();
    return true;
  }

  /** The connection has ended. */
  remove(connectionId: string, end: ConnectionEnd): void {
    const connection = this.#open.get(connectionId);
    if (!connection) return;
    this.#open.delete(connectionId);
    connection.onEnd(end);
  }

  /** Ends every connection whose time is over. Call it when the clock has advanced. */
  endExpired(): void {
    const now = this.#now();
    this.#checkAt = Number.POSITIVE_INFINITY;
    this.#timer.set(null);
    for (const connection of this.#open.values()) {
      const at = endOf(connection);
      if (at <= now) this.end(connection.identity.connectionId, goingAway);
      else this.#checkBy(at);
    }
  }

  /** Cuts every connection, as the death of the process does. */
  close(): void {
    this.#timer.set(null);
    for (const { socket } of this.#open.values()) socket.terminate();
    this.#open.clear();
  }

  #checkBy(at: Millis): void {
    if (at >= this.#checkAt) return;
    this.#checkAt = at;
    this.#timer.set(at);
  }
}

function endOf({ identity, lastActiveAt }: Connection): Millis {
  return Math.min(identity.connectedAt + DURATION_MAX, lastActiveAt + IDLE_MAX);
}
