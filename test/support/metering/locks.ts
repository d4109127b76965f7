// One turn at a time per item, over all meters of the process: between reading an item's old state and its new one no
// other metered operation may change it.

const tails = new Map<string, Promise<void>>();

/** Runs `work` once every earlier holder of any of `keys` is done. All keys are queued for at once: no deadlock. */
export async function withLocks<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
  const mine = [...new Set(keys)];
  const earlier = mine.map((key) => tails.get(key));
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const key of mine) tails.set(key, promise);
  await Promise.all(earlier);
  try {
    return await work();
  } finally {
    resolve();
    for (const key of mine) if (tails.get(key) === promise) tails.delete(key);
  }
}
