import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "./atomic-write.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "./time.ts";

/** The longest single advance of the clock. */
const ADVANCE_MAX: Millis = 3_650 * DAY;

const DURATION = /^P(?=\d|T\d)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/;

/** The clock of a local stack: real time plus an offset that only grows and is stored across restarts. */
export interface StackClock {
  now(): Millis;
  offset(): Millis;
  /** Advances the clock in every thread at once. */
  advance(by: Millis): void;
  /** The offset as one BigInt64 of milliseconds, shared with every sandbox. */
  readonly shared: SharedArrayBuffer;
}

/** Returns a clock that reads the shared offset at each call. */
export function sharedClock(shared: SharedArrayBuffer): () => Millis {
  const offset = new BigInt64Array(shared);
  return () => Date.now() + Number(Atomics.load(offset, 0));
}

/** Opens the clock of a data folder. `clock.json` stores its offset. */
export function openClock(dataDir: string): StackClock {
  const file = join(dataDir, "clock.json");
  const shared = new SharedArrayBuffer(8);
  const offset = new BigInt64Array(shared);
  Atomics.store(offset, 0, BigInt(readOffset(file)));
  return {
    shared,
    now: sharedClock(shared),
    offset: () => Number(Atomics.load(offset, 0)),
    advance(by) {
      const next = Atomics.load(offset, 0) + BigInt(by);
      writeFileAtomic(file, JSON.stringify({ offset_ms: Number(next) }));
      Atomics.store(offset, 0, next);
    },
  };
}

function readOffset(file: string): Millis {
  try {
    const storedOffset = (JSON.parse(readFileSync(file, "utf8")) as { offset_ms?: unknown }).offset_ms;
    return Number.isSafeInteger(storedOffset) ? (storedOffset as number) : 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

/**
 * Parses an ISO 8601 duration such as `PT24H`, `P7D` or `PT1.5S` to milliseconds. Returns null for any other text, for
 * zero, for months and years (whose length varies), and for more than ten years.
 */
export function parseDuration(text: string): Millis | null {
  const parts = DURATION.exec(text);
  if (!parts) return null;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  const total = Math.round((weeks * 7 + days) * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND);
  return total > 0 && total <= ADVANCE_MAX ? total : null;
}
