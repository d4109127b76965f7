import type { Millis } from "./time.ts";

/** Work did not end in time. The work itself is not stopped. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

export interface Deadline {
  /** Resolves when the time is over; never after `cancel`. */
  readonly reached: Promise<"late">;
  cancel(): void;
}

export function startDeadline(timeout: Millis): Deadline {
  let timer: NodeJS.Timeout | undefined;
  const reached = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), Math.max(0, timeout));
  });
  return { reached, cancel: () => clearTimeout(timer) };
}

/** The result of `work` if it ends within `timeout`. Rejects with `OutOfTime` otherwise. Without a timeout it waits. */
export async function withDeadline<T>(timeout: Millis | undefined, work: Promise<T>): Promise<T> {
  if (timeout === undefined) return work;
  const deadline = startDeadline(timeout);
  const late = deadline.reached.then((): never => {
    throw new OutOfTime("The work did not end in time.");
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    deadline.cancel();
  }
}

/**
 * A clock of the time in which this process could notice an answer. It stands still while the event loop is blocked, the
 * process waits for a processor, or Lambda has frozen it: that time is no receiver's fault.
 */
export interface LoopClock {
  /** Milliseconds since any moment, with fractions. It never goes backward. */
  now(): Millis;
  /**
   * Calls back after `delay` milliseconds of this clock, and after the loop has read what arrived by then.
   * @returns cancels the call
   */
  after(delay: Millis, callback: () => void): () => void;
}

/** How often the loop is observed: at a quota of a third of a processor, a process stands still for 70 ms of each 100. */
const BEAT: Millis = 20;
/** Timers are late by about a millisecond on an idle machine. Without this, that would add up. */
const LATENESS_IGNORED: Millis = 4;

export function createLoopClock(): LoopClock {
  let delays: Millis = 0;
  let lastBeat: Millis = 0;
  let timers = 0;
  let heartbeat: NodeJS.Timeout | undefined;

  /** How late the next beat is. */
  function lateness(time: Millis): Millis {
    const late = heartbeat ? time - lastBeat - BEAT : 0;
    return late > LATENESS_IGNORED ? late : 0;
  }

  function beat(): void {
    const time = performance.now();
    delays += lateness(time);
    lastBeat = time;
  }

  function observe(): void {
    timers += 1;
    if (heartbeat) return;
    lastBeat = performance.now();
    heartbeat = setInterval(beat, BEAT).unref();
  }

  function release(): void {
    timers -= 1;
    if (timers > 0) return;
    beat();
    clearInterval(heartbeat);
    heartbeat = undefined;
  }

  function now(): Millis {
    const time = performance.now();
    return time - delays - lateness(time);
  }

  return {
    now,
    after(delay, callback) {
      const end = now() + delay;
      let timer: NodeJS.Timeout | undefined;
      let isPending = true;
      const cancel = () => {
        if (!isPending) return;
        isPending = false;
        clearTimeout(timer);
        release();
      };
      const fire = () => {
        if (!isPending) return;
        cancel();
        callback();
      };
      const wait = () => {
        const remaining = end - now();
        // The loop reads its sockets between the two: an answer that arrived while it was blocked counts.
        if (remaining <= 0) setImmediate(fire);
        else timer = setTimeout(wait, Math.ceil(remaining));
      };
      observe();
      timer = setTimeout(wait, delay);
      return cancel;
    },
  };
}
