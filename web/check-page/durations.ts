/** Formats milliseconds as a clock: `14:05`. */
export function formatClock(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  const rest = String(seconds % 60).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/** Before this, the pace of a calculation says too little. */
const PACE_KNOWN_AFTER = 5_000;

/**
 * How many seconds a calculation goes on at its pace so far, in coarse steps.
 * @param elapsed milliseconds for `done` of `count` steps
 * @returns null in the first five seconds and before the first step is done
 */
export function secondsRemaining(elapsed: number, done: number, count: number): number | null {
  if (elapsed < PACE_KNOWN_AFTER || done === 0 || done >= count) return null;
  const seconds = Math.ceil((elapsed * (count - done)) / done / 1000);
  // Coarse steps: the pace varies, and a number that jumps says less.
  const step = seconds <= 10 ? 1 : seconds <= 60 ? 5 : 30;
  return Math.ceil(seconds / step) * step;
}
