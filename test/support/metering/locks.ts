// Serializes operations on the same item, over all meters of the process: between reading an item's old state and its
// new one no other metered operation may change it.

const tails = new Map<string, Promise<void>>();

/** Runs `work` after every earlier holder of any of `keys`. All keys are queued at once, which prevents deadlocks. */
export async function withLocks<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
  const uniqueKeys = [...new Set(keys)];
  const predecessors = uniqueKeys.map((key) => tails.get(key));
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const key of uniqueKeys) tails.set(key, promise);
  await Promise.all(predecessors);
  try {
    return await work();
  } finally {
    resolve();
    for (const key of uniqueKeys) if (tails.get(key) === promise) tails.delete(key);
  }
}
