import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Evidence } from "./evidence.ts";

/** After an outage, all that waited for its end is done within this time. */
export const DONE_WITHIN: Millis = 20 * MINUTE;

/** When something that was due at an instant is done: within 20 minutes, or 20 minutes after the outages in between. */
export function doneBy({ outages }: Pick<Evidence, "outages">, dueAt: Millis): Millis {
  let at = dueAt;
  for (;;) {
    const next = outages.find(({ from, until }) => from <= at + DONE_WITHIN && until > at);
    if (!next) return at + DONE_WITHIN;
    at = next.until;
  }
}

/** No outage makes a dead letter: each is of a message that was made to fail, or that has a text which cannot be stored. */
export function judgeDeadLetters({ buried, history, writings }: Evidence): string[] {
  const isMade =
    history.steps.some(([step]) => step.do === "bury") || writings.some(({ isUnstorable }) => isUnstorable);
  return isMade ? [] : buried.map((body) => `a message became a dead letter: ${body.slice(0, 200)}`);
}
