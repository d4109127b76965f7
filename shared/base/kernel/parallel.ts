/** Processes all items, at most `concurrency` at once. After a failure the running items end, and then it throws. */
export async function forEachConcurrent<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  let hasFailed = false;
  const worker = async () => {
    for (const item of queue) {
      if (hasFailed) return;
      await work(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/**
 * The results of all works, as `Promise.all`. If one fails, it throws only when all have ended, so that none is in
 * progress when the failure is answered.
 * @throws the first failure, in the order of the works
 */
export async function allDone<Works extends readonly unknown[]>(
  works: readonly [...Works],
): Promise<{ -readonly [I in keyof Works]: Awaited<Works[I]> }> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** Runs works, at most `max` at once; the others wait for their turn, in order. */
export function concurrencyLimit(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      // The slot of this work goes to the next one that waits.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
