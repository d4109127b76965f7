/** Decides when another sandbox of a function is of use. */
export interface Growth {
  /**
   * True while another one would only take processors from the events that run: it is too soon after the last one, or the
   * processors are in use. Then `again` is called later.
   * @param waitingSince when the oldest event began to wait, in the time of `performance`
   */
  isPostponed(waitingSince: number, again: () => void): boolean;
  /** A sandbox was opened. */
  opened(): void;
  close(): void;
}

export interface GrowthOptions {
  /** The pause beside one sandbox, in milliseconds. Beside `n` it is `n` times that. 0: none, and no regard to the processors. */
  readonly pause: number;
  /** The sandboxes of the function that do not hang, at least one if it has any. */
  readonly count: () => number;
  readonly isSaturated: () => boolean;
}

/** An event that waits for so long, in milliseconds, gets a sandbox although the processors are in use: one in this time. */
const WAIT_MAX_MS = 5_000;
const CHECK_MS = 50;

export function openGrowth({ pause, count, isSaturated }: GrowthOptions): Growth {
  let openedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  /** Milliseconds until the next decision; 0 when a sandbox may open now. */
  function delay(waitingSince: number): number {
    const opened = count();
    if (pause === 0 || opened === 0) return 0;
    const now = performance.now();
    // The second one runs beside the first: most machines have two processors.
    const remaining = opened === 1 ? 0 : openedAt + pause * opened - now;
    if (remaining > 0) return remaining;
    const isOverdue = now - Math.max(waitingSince, openedAt) >= WAIT_MAX_MS;
    return isOverdue || !isSaturated() ? 0 : CHECK_MS;
  }

  return {
    isPostponed(waitingSince, again) {
      const ms = delay(waitingSince);
      if (ms <= 0) return false;
      timer ??= setTimeout(() => {
        timer = undefined;
        again();
      }, ms).unref();
      return true;
    },
    opened() {
      openedAt = performance.now();
    },
    close() {
      clearTimeout(timer);
    },
  };
}
