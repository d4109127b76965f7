import { MINUTE, type Millis } from "../../support/time.ts";

/** A noisy group has more than this share of the queue's messages in flight, and at least this many. */
const IN_FLIGHT_SHARE = 0.1;
const IN_FLIGHT_MIN = 30;
/** A group to which nothing is sent for this long is no longer noisy. */
const SILENCE: Millis = 5 * MINUTE;

/**
 * Finds the message groups that hold so many messages in flight that the others are served first. Source: "How Amazon SQS
 * fair queues work" in the SQS developer guide. Its second measure, the share of the processing time, is not emulated.
 */
export class NoisyGroups {
  readonly #inFlight = new Map<string, number>();
  readonly #lastSent = new Map<string, Millis>();
  readonly #noisy = new Set<string>();
  #total = 0;

  onSend(group: string | null, at: Millis): void {
    if (group !== null) this.#lastSent.set(group, Math.max(at, this.#lastSent.get(group) ?? 0));
  }

  /** @param by 1 for a message that is received, -1 for one that is deleted or visible again */
  countInFlight(group: string | null, by: 1 | -1): void {
    this.#total += by;
    if (group === null) return;
    const count = this.inFlight(group) + by;
    if (count > 0) this.#inFlight.set(group, count);
    else this.#inFlight.delete(group);
  }

  inFlight(group: string): number {
    return this.#inFlight.get(group) ?? 0;
  }

  isNoisy(group: string): boolean {
    return this.#noisy.has(group);
  }

  /**
   * Decides again for all groups. A noisy group becomes quiet when it holds no more than the quiet ones, when its last
   * message is received, or after a silence.
   * @param waiting the groups with messages to receive
   */
  update(waiting: ReadonlySet<string | null>, now: Millis): void {
    const quietMax = Math.max(0, ...[...this.#inFlight].map(([group, count]) => (this.isNoisy(group) ? 0 : count)));
    for (const group of new Set([...this.#noisy, ...this.#inFlight.keys()])) {
      const count = this.inFlight(group);
      const exceeds = count >= IN_FLIGHT_MIN && count > IN_FLIGHT_SHARE * this.#total;
      const remains = this.isNoisy(group) && count > quietMax;
      if (waiting.has(group) && !this.#isSilent(group, now) && (exceeds || remains)) this.#noisy.add(group);
      else this.#noisy.delete(group);
    }
  }

  #isSilent(group: string, now: Millis): boolean {
    return (this.#lastSent.get(group) ?? 0) + SILENCE <= now;
  }
}
