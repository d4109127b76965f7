import { type SharedRead, startSharedRead } from "./call-scope.ts";
import { MINUTE, type Millis } from "./time.ts";

/** Caches each result for a minute. Concurrent calls for one key share one read. */
export function memoizeForMinute<K, V>(read: (key: K, now: Millis) => Promise<V>, toCacheKey: (key: K) => string) {
  return memoize(read, toCacheKey, MINUTE);
}

/** Caches each result for `lifetime`. Concurrent calls for one key share one read. */
export function memoize<K, V>(
  read: (key: K, now: Millis) => Promise<V>,
  toCacheKey: (key: K) => string,
  lifetime: Millis,
) {
  const cache = new Map<string, SharedRead<V> & { until: Millis }>();
  return (key: K, now: Millis): Promise<V> => {
    const cacheKey = toCacheKey(key);
    const cached = cache.get(cacheKey);
    if (cached && cached.until > now && cached.isUsable()) return cached.value;
    const entry = { ...startSharedRead(() => read(key, now)), until: now + lifetime };
    cache.set(cacheKey, entry);
    const evict = () => {
      if (cache.get(cacheKey) === entry) cache.delete(cacheKey);
    };
    // A failure or a null result is not cached.
    entry.value.then((value) => value ?? evict(), evict);
    return entry.value;
  };
}
