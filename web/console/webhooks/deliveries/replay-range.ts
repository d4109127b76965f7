import { isOutcomeUnknown } from "../../admin/problems.ts";

/** So many deliveries are counted; beyond it the number is shown with a plus. */
export const COUNTED_MAX = 1_000;

export interface Counted {
  readonly count: number;
  /** Whether there are more than were counted. */
  readonly isMore: boolean;
}

interface CountedPage {
  readonly count: number;
  readonly next: string | null;
}

/**
 * Counts the deliveries of a range page by page.
 * @param load reads the page at a cursor; undefined is the first one
 * @param onCount is called after each page with the number so far
 * @param signal ends it: the rest is not counted
 */
export async function countRange(
  load: (cursor: string | undefined) => Promise<CountedPage>,
  onCount: (count: number) => void,
  signal: AbortSignal,
): Promise<Counted> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await load(cursor);
    count += page.count;
    cursor = page.next ?? undefined;
    onCount(count);
  } while (cursor !== undefined && count < COUNTED_MAX && !signal.aborted);
  return { count, isMore: cursor !== undefined };
}

export interface Replayed {
  readonly started: number;
  readonly skipped: number;
  /** Where it stopped; null when all of the range was examined. */
  readonly cursor: string | null;
  /** Why it stopped there; null when it was asked to, or is at its end. */
  readonly problem: unknown;
}

interface ReplayedPage {
  readonly enqueued: number;
  readonly skipped: number;
  readonly next_cursor: string | null;
}

/**
 * Restarts the deliveries of a range page by page, from the oldest on. A page whose answer was lost is asked for again, once: what
 * it restarted is under way and is not selected a second time.
 * @param from what an earlier run returned that did not reach the end
 */
export async function replayRange(
  replay: (cursor: string | undefined) => Promise<ReplayedPage>,
  { from, onProgress, signal }: { from: Replayed | null; onProgress: (done: Replayed) => void; signal: AbortSignal },
): Promise<Replayed> {
  let done: Replayed = from ?? { started: 0, skipped: 0, cursor: null, problem: null };
  let cursor = from?.cursor ?? undefined;
  do {
    try {
      const page = await repeatOnce(() => replay(cursor));
      cursor = page.next_cursor ?? undefined;
      const started = done.started + page.enqueued;
      done = { started, skipped: done.skipped + page.skipped, cursor: page.next_cursor, problem: null };
      onProgress(done);
    } catch (problem) {
      return { ...done, cursor: cursor ?? null, problem };
    }
  } while (cursor !== undefined && !signal.aborted);
  return done;
}

async function repeatOnce<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
    return await call();
  }
}
