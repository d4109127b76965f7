/** Formats milliseconds as a clock: `14:05`. */
export function formatClock(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  const rest = String(seconds % 60).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/** Formats seconds for a sentence: `4 minutes 5 seconds`. */
export function formatDuration(seconds: number): string {
  const totalSeconds = Math.max(1, Math.ceil(seconds));
  const parts = [plural(Math.floor(totalSeconds / 60), "minute"), plural(totalSeconds % 60, "second")];
  return parts.filter((part) => !part.startsWith("0 ")).join(" ");
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Before this, the pace of a calculation says too little. */
const PACE_KNOWN_AFTER = 5_000;

/**
 * How long a calculation goes on at its pace so far, for a sentence: `about 15 s left`.
 * @param elapsed milliseconds for `done` of `count` steps
 * @returns "" in the first five seconds and before the first step is done
 */
export function formatRemaining(elapsed: number, done: number, count: number): string {
  if (elapsed < PACE_KNOWN_AFTER || done === 0 || done >= count) return "";
  const seconds = Math.ceil((elapsed * (count - done)) / done / 1000);
  // Coarse steps: the pace varies, and a number that jumps says less.
  const step = seconds <= 10 ? 1 : seconds <= 60 ? 5 : 30;
  return `about ${Math.ceil(seconds / step) * step} s left`;
}
