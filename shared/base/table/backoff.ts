/** Attempts at a request that the table refuses for a moment, or processes in part. Their waits take 3 seconds. */
export const ATTEMPTS_MAX = 10;
const FIRST_DELAY_MS = 20;
const DELAY_MAX_MS = 500;

/**
 * Waits before the next attempt: longer each time, with full jitter.
 * @param attempt the attempt that failed, from 1
 * @param random a draw from [0, 1)
 */
export async function backoff(attempt: number, random: () => number = Math.random): Promise<void> {
  const delayMs = random() * Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** attempt);
  await new Promise((resolve) => setTimeout(resolve, delayMs));
}
