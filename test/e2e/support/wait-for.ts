import { setTimeout as wait } from "node:timers/promises";

/**
 * Polls until the result is neither null, undefined nor false, and returns it.
 * @param description names the expected state in the error
 * @param seconds the deadline
 */
export async function waitFor<T>(
  description: string,
  check: () => T | Promise<T>,
  { seconds = 20, everyMs = 40 } = {},
): Promise<Exclude<T, null | undefined | false>> {
  const deadline = performance.now() + seconds * 1_000;
  for (;;) {
    const result = await check();
    if (result !== null && result !== undefined && result !== false) {
      return result as Exclude<T, null | undefined | false>;
    }
    if (performance.now() > deadline) throw new Error(`Not within ${seconds} s: ${description}`);
    await wait(everyMs);
  }
}
