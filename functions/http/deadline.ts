import type { Millis } from "../../shared/kernel/time.ts";

/** What work that took too long is answered with; the work itself is not stopped. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

/** The work's own outcome when it comes within `span`, else a rejection with OutOfTime. Without a span it waits. */
export async function withDeadline<T>(timeout: Millis | undefined, work: Promise<T>): Promise<T> {
  if (timeout === undefined) return work;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OutOfTime("no answer in time")), Math.max(0, timeout));
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** The outcome of work that ends within `span`, else `late`. What is late goes on, and its failure is the caller's. */
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
