import type { EventStore } from "./store.ts";

const EVENTS_MAX = 100_000;

export interface MemoryStoreOptions {
  /** The oldest processed events are forgotten beyond this number. Default: 100,000, about 15 MB. */
  readonly maxEvents?: number | undefined;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** A store in the memory of one process, for development and tests: a restart forgets which events were processed. */
export function memoryStore({ maxEvents = EVENTS_MAX, now = Date.now }: MemoryStoreOptions = {}): EventStore {
  /** In the order of their last change, the oldest first. */
  const entries = new Map<string, { readonly isProcessed: boolean; readonly endsAt: number }>();
  const set = (id: string, isProcessed: boolean, seconds: number): void => {
    entries.delete(id);
    entries.set(id, { isProcessed, endsAt: now() + seconds * 1_000 });
    for (const [oldest] of entries) {
      if (entries.size <= maxEvents) break;
      entries.delete(oldest);
    }
  };
  return {
    claim(id, seconds) {
      const entry = entries.get(id);
      if (entry !== undefined && entry.endsAt > now()) return entry.isProcessed ? "processed" : "processing";
      set(id, false, seconds);
      return "claimed";
    },
    complete: (id, seconds) => set(id, true, seconds),
    release: (id) => void entries.delete(id),
  };
}
