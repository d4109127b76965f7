import { type Clock, Parley } from "#client";
import { guidedCalls } from "./calls.ts";
import { turningClock } from "./clock.ts";
import { credentials } from "./credentials.ts";
import { outcome } from "./outcome.ts";

const TIMEOUT_MS = 100;
/** Of one attempt, and of the whole call. */
const limits = ["attemptTimeoutMs", "timeoutMs"] as const;

/**
 * Makes guided calls that time out in each phase. One that is never retried stands for all.
 * @param hanging where a request hangs, by the phase in which it does
 */
export async function runTimeOuts(hanging: Readonly<Record<string, string>>, now: number) {
  const sends = guidedCalls.filter(({ isRetried }) => isRetried === "never").slice(0, 1);
  const calls = [...guidedCalls.filter(({ isRetried }) => isRetried !== "never"), ...sends];
  const rows: Record<string, unknown> = {};
  const runPhase = async ([phase, baseUrl]: [string, string]) => {
    for (const { path, run, isRetried } of calls) {
      for (const limit of isRetried === "like a read" ? limits : limits.slice(0, 1)) {
        let requests = 0;
        const countingFetch: typeof fetch = (...args) => {
          requests++;
          return fetch(...args);
        };
        const clock = turningClock(now);
        const parley = new Parley({ baseUrl, ...credentials, clock, random: () => 0, fetch: countingFetch });
        const error = await outcome(run(parley, { [limit]: TIMEOUT_MS, maxRetries: 1 }));
        rows[`${limit}, ${phase}: ${path}`] = { error, requests };
      }
    }
  };
  await Promise.all(Object.entries(hanging).map(runPhase));
  return rows;
}

/** Uploads a file to storage that does not respond. The time ends when the file is sent. */
export function runUploadTimeOut(baseUrl: string): Promise<unknown> {
  const timers = new Set<() => void>();
  const clock: Clock = {
    now: () => 0,
    schedule(callback) {
      timers.add(callback);
      return () => timers.delete(callback);
    },
  };
  const onProgress = ({ loaded, total }: { readonly loaded: number; readonly total: number }) => {
    if (loaded === total) for (const callback of timers) callback();
  };
  const parley = new Parley({ baseUrl: `${baseUrl}/hanging-storage`, ...credentials, clock });
  const file = new Blob(["%PDF"], { type: "application/pdf" });
  return parley.attachments.upload({ conversation_id: "c", file }, { onProgress }).catch(({ code, detail }) => ({
    code,
    detail,
  }));
}
