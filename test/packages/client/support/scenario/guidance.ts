import { Parley } from "#client";
import { guidedCalls } from "./calls.ts";
import { turningClock } from "./clock.ts";
import { credentials } from "./credentials.ts";
import { outcome } from "./outcome.ts";

/** Makes each guided call against each fault of the server. @returns code, status and waits of each */
export async function runGuidance(baseUrl: string, now: number, faults: readonly string[]) {
  const rows: Record<string, unknown> = {};
  const runFault = async (fault: string) => {
    for (const { path, run } of guidedCalls) {
      const waits: number[] = [];
      const clock = turningClock(now, waits);
      const parley = new Parley({ baseUrl: `${baseUrl}/fault/${fault}`, ...credentials, clock, random: () => 0 });
      rows[`${fault}: ${path}`] = { error: await outcome(run(parley)), waits };
    }
  };
  await Promise.all(faults.map(runFault));
  return rows;
}
