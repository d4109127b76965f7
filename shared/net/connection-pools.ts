import { type buildConnector, Pool } from "undici";
import { type Millis, SECOND } from "../kernel/time.ts";

/** How long an unused connection is kept. Short, because a receiver may drop its end while a function is frozen. */
const IDLE_MAX: Millis = 4 * SECOND;
const HEADER_BYTES_MAX = 16 * 1024;

export interface ConnectionPoolsOptions {
  readonly connect: buildConnector.connector;
  readonly now: () => Millis;
  /** Connections of one lane to one origin; its further requests wait, and hold up no other lane. */
  readonly connectionsPerPool: number;
  /** Pools remembered; beyond it the one used longest ago is let go. */
  readonly poolsMax: number;
  /** Connections open in all pools together; beyond it those of the pool that is idle longest are closed. */
  readonly connectionsMax: number;
}

/** Kept-alive connections, a pool for each lane and origin, so that a slow lane only ever waits for itself. */
export interface ConnectionPools {
  /** Runs `work` with the lane's pool for the origin, which stays open at least until it settles. */
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
  // A Map keeps its order of insertion: the first entry is the one used longest ago.
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
      if (socket) socket.once("close", onClose);
      else onClose();
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
    // Lets the requests under way end first. It rejects only when the pool is destroyed already.
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
      // Timers stand still while a function is frozen, so that an idle connection can outlive its time: ask the clock.
      const stale = existing.running === 0 && options.now() - existing.usedAt > IDLE_MAX;
      if (!stale) {
        // Posts mostly come in rows to one endpoint.
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
        // A client counts its connection as free only a turn after the answer's end: until then the next request of
        // this lane would open another one.
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
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}

function createPool(origin: string, { connect, connectionsPerPool: connectionsPerLane }: ConnectionPoolsOptions): Pool {
  return new Pool(origin, {
    connect,
    connections: connectionsPerLane,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MAX,
    // Also when the receiver offers more.
    keepAliveMaxTimeout: IDLE_MAX,
    maxHeaderSize: HEADER_BYTES_MAX,
    // Both restart at each chunk, so that a slow drip would outlast them: the attempt's own deadline stands instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}
