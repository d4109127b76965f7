/**
 * Works through all items, at most `width` at once. After a failure nothing new is begun, and it is thrown once what
 * was under way has ended.
 */
export async function eachOf<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  let failed = false;
  const lane = async () => {
    for (const item of waiting) {
      if (failed) return;
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, lane));
  for (const end of lanes) if (end.status === "rejected") throw end.reason;
}
