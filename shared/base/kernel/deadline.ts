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
