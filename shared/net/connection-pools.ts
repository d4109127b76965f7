import { type buildConnector, Pool } from "undici";
import { type Millis, SECOND } from "../kernel/time.ts";

/** How long an unused connection is kept. Short, because a receiver may drop its end while a function is frozen. */
const IDLE_MAX: Millis = 4 * SECOND;
const HEADER_BYTES_MAX = 16 * 1024;

export interface ConnectionPoolsOptions {
  readonly connect: buildConnector.connector;
  readonly now: () => Millis;
  /** Connections to one origin; further requests to it wait, and hold up no other origin. */
  readonly connectionsPerOrigin: number;
  /** Origins remembered; beyond it the one used longest ago is let go. */
  readonly originsMax: number;
}

/** Kept-alive connections, a pool for each origin, so that a slow receiver only ever waits for itself. */
export interface ConnectionPools {
  /** Runs `work` with the origin's pool, which stays open at least until it settles. */
  use<T>(origin: string, work: (pool: Pool) => Promise<T>): Promise<T>;
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
  const retired = new Set<Pool>();

  function retire(origin: string, { pool }: Entry): void {
    entries.delete(origin);
    retired.add(pool);
    // Lets the requests under way end first. It rejects only when the pool is destroyed already.
    pool.close().then(
      () => retired.delete(pool),
      () => retired.delete(pool),
    );
  }

  function moveToEnd(origin: string, entry: Entry): void {
    entries.delete(origin);
    entries.set(origin, entry);
    newest = entry;
  }

  function entryOf(origin: string): Entry {
    const known = entries.get(origin);
    if (known) {
      // Timers stand still while a function is frozen, so that an idle connection can outlive its time: ask the clock.
      const stale = known.running === 0 && options.now() - known.usedAt > IDLE_MAX;
      if (!stale) {
        // Posts mostly come in rows to one origin.
        if (known !== newest) moveToEnd(origin, known);
        return known;
      }
      retire(origin, known);
    }
    const fresh: Entry = { pool: createPool(origin, options), running: 0, usedAt: options.now() };
    moveToEnd(origin, fresh);
    const [oldest] = entries;
    if (entries.size > options.originsMax && oldest) retire(...oldest);
    return fresh;
  }

  return {
    async use(origin, work) {
      const entry = entryOf(origin);
      entry.running += 1;
      try {
        const result = await work(entry.pool);
        // A client counts its connection as free only a turn after the answer's end: until then the next request to
        // this origin would open another one.
        await new Promise((resolve) => setImmediate(resolve));
        return result;
      } finally {
        entry.running -= 1;
        entry.usedAt = options.now();
      }
    },

    async destroy() {
      const all = [...[...entries.values()].map(({ pool }) => pool), ...retired];
      entries.clear();
      retired.clear();
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
}

function createPool(origin: string, { connect, connectionsPerOrigin }: ConnectionPoolsOptions): Pool {
  return new Pool(origin, {
    connect,
    connections: connectionsPerOrigin,
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
