import type { Millis } from "../../shared/kernel/time.ts";

/** Rejects work that exceeds its deadline. The work itself is not stopped. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

/** The outcome of `work` if it settles within `timeout`, else a rejection with OutOfTime. No timeout: no deadline. */
export async function withDeadline<T>(timeout: Millis | undefined, work: Promise<T>): Promise<T> {
  if (timeout === undefined) return work;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OutOfTime("deadline exceeded")), Math.max(0, timeout));
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** The outcome of `work` if it settles within `timeout`, else "late". Late work continues; its failure is the caller's. */
export async function withTimeout<T>(timeout: Millis, work: Promise<T>): Promise<T | "late"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), timeout);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
