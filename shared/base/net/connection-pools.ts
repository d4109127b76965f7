import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import Pool from "undici/lib/dispatcher/pool.js";
import { allDone } from "../kernel/parallel.ts";
import { type Millis, SECOND } from "../kernel/time.ts";

/** How long an idle connection stays open. Short, because a receiver may close it while the function is frozen. */
const IDLE_MAX: Millis = 4 * SECOND;
const HEADER_BYTES_MAX = 16 * 1024;

export interface ConnectionPoolsOptions {
  readonly connect: buildConnector.connector;
  readonly now: () => Millis;
  /** Connections of one pool to one origin. Further requests of the pool wait; other pools are not affected. */
  readonly connectionsPerPool: number;
  /** Open pools. Beyond it the least recently used one is closed. */
  readonly poolsMax: number;
  /** Open connections of all pools. Beyond it those of the pool that is idle longest are closed. */
  readonly connectionsMax: number;
}

/** Keep-alive connections, one pool per key and origin, so that a slow endpoint delays only itself. */
export interface ConnectionPools {
  /** Runs `work` with the pool of a key and origin. The pool stays open until `work` settles. */
  use<T>(poolKey: string, origin: string, work: (pool: Pool) => Promise<T>): Promise<T>;
  /** Breaks every connection. */
  destroy(): Promise<void>;
}

interface Entry {
  readonly pool: Pool;
  running: number;
  usedAt: Millis;
}

export function createConnectionPools(options: ConnectionPoolsOptions): ConnectionPools {
  // A Map keeps insertion order: the first entry is the least recently used.
  const entries = new Map<string, Entry>();
  let newest: Entry | null = null;
  const retiredPools = new Set<Pool>();
  let connections = 0;

  const connect: buildConnector.connector = (target, callback) => {
    if (connections >= options.connectionsMax) retireIdle();
    connections += 1;
    const onClose = () => {
      connections -= 1;
    };
    options.connect(target, (...outcome) => {
      const [, socket] = outcome;
      if (socket) {
        socket.once("close", onClose);
        observeWrites(socket);
      } else onClose();
      callback(...outcome);
    });
  };

  function retireIdle(): void {
    const idle = [...entries].find(([, { running, pool }]) => running === 0 && pool.stats.connected > 0);
    if (idle) retire(...idle);
  }

  function retire(key: string, { pool }: Entry): void {
    entries.delete(key);
    retiredPools.add(pool);
    // Waits for the running requests. It rejects only when the pool is already destroyed.
    pool.close().then(
      () => retiredPools.delete(pool),
      () => retiredPools.delete(pool),
    );
  }

  function moveToEnd(key: string, entry: Entry): void {
    entries.delete(key);
    entries.set(key, entry);
    newest = entry;
  }

  function getEntry(poolKey: string, origin: string): Entry {
    const key = `${origin} ${poolKey}`;
    const existing = entries.get(key);
    if (existing) {
      // Timers stop while a function is frozen, so an idle connection can outlive its timer: check the clock.
      const stale = existing.running === 0 && options.now() - existing.usedAt > IDLE_MAX;
      if (!stale) {
        // Requests often come in runs to one endpoint.
        if (existing !== newest) moveToEnd(key, existing);
        return existing;
      }
      retire(key, existing);
    }
    const pool = createPool(origin, { ...options, connect });
    const entry: Entry = { pool, running: 0, usedAt: options.now() };
    moveToEnd(key, entry);
    const [oldest] = entries;
    if (entries.size > options.poolsMax && oldest) retire(...oldest);
    return entry;
  }

  return {
    async use(poolKey, origin, work) {
      const entry = getEntry(poolKey, origin);
      entry.running += 1;
      try {
        const result = await work(entry.pool);
        // A client frees its connection one turn after the response ends. Until then the pool's next request would open
        // another connection.
        await new Promise((resolve) => setImmediate(resolve));
        return result;
      } finally {
        entry.running -= 1;
        entry.usedAt = options.now();
      }
    },

    async destroy() {
      const pools = [...[...entries.values()].map(({ pool }) => pool), ...retiredPools];
      entries.clear();
      retiredPools.clear();
      await allDone(pools.map((pool) => pool.destroy()));
    },
  };
}

function createPool(origin: string, { connect, connectionsPerPool: connections }: ConnectionPoolsOptions): Pool {
  return new Pool(origin, {
    connect,
    connections,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MAX,
    // Also when the receiver offers more.
    keepAliveMaxTimeout: IDLE_MAX,
    maxHeaderSize: HEADER_BYTES_MAX,
    // Both restart at each chunk, so a slow drip would outlast them. The attempt's own deadline applies instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

type OnWritten = (error?: Error | null) => void;

/** The writes of a connection that the system has not accepted yet. */
interface Writes {
  pending: number;
  onWritten: (() => void) | null;
}

/** undici writes a request and reports it as sent in one turn, but does not name its connection: it is this one. */
let lastWritten: Writes | null = null;

/** Observes what is written to a connection, for `whenWritten`. */
function observeWrites(connection: Socket): void {
  const write: (chunk: string | Uint8Array, encoding: BufferEncoding, callback: OnWritten) => boolean =
    connection.write.bind(connection);
  const writes: Writes = { pending: 0, onWritten: null };
  const onAccepted = () => {
    writes.pending -= 1;
    if (writes.pending === 0) writes.onWritten?.();
  };
  connection.write = (
    chunk: string | Uint8Array,
    encoding?: BufferEncoding | OnWritten,
    callback?: OnWritten,
  ): boolean => {
    lastWritten = writes;
    writes.pending += 1;
    const onWritten = typeof encoding === "function" ? encoding : callback;
    return write(chunk, typeof encoding === "string" ? encoding : "utf8", (error) => {
      onAccepted();
      onWritten?.(error);
    });
  };
}

/**
 * Calls back once the system has accepted the last byte of the request that was just written: in the turn of its write.
 * A receiver that does not read lets it wait.
 */
export function whenWritten(callback: () => void): void {
  const writes = lastWritten;
  if (!writes || writes.pending === 0) callback();
  else {
    writes.onWritten = () => {
      writes.onWritten = null;
      callback();
    };
  }
}
