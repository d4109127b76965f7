import type { Millis } from "../../support/time.ts";
import { ClockTimer } from "../timer.ts";
import type { Message } from "./messages.ts";

export interface Poll {
  readonly max: number;
  readonly visibility: Millis;
  /** Ends the poll with these messages. */
  resolve(messages: Message[]): void;
}

/** The waiting receives of one queue, longest waiting first. */
export class LongPolls {
  readonly #now: () => Millis;
  readonly #polls = new Map<Poll, ClockTimer>();

  constructor(now: () => Millis) {
    this.#now = now;
  }

  get size(): number {
    return this.#polls.size;
  }

  /** A snapshot, so that a poll can be resolved during the iteration. */
  list(): Poll[] {
    return [...this.#polls.keys()];
  }

  /** Resolves with the messages given to `resolve`; with none after `wait` ms or when the caller disconnects. */
  add(max: number, visibility: Millis, wait: Millis, signal: AbortSignal): Promise<Message[]> {
    if (signal.aborted) return Promise.resolve([]);
    return new Promise((resolve) => {
      const finish = (messages: Message[]): void => {
        timer.set(null);
        this.#polls.delete(poll);
        signal.removeEventListener("abort", cancel);
        resolve(messages);
      };
      const cancel = (): void => finish([]);
      const timer = new ClockTimer(this.#now, cancel, wait);
      const poll: Poll = { max, visibility, resolve: finish };
      this.#polls.set(poll, timer);
      signal.addEventListener("abort", cancel);
      timer.set(this.#now() + wait);
    });
  }

  onClockAdvance(): void {
    for (const timer of this.#polls.values()) timer.rearm();
  }

  close(): void {
    for (const poll of this.list()) poll.resolve([]);
  }
}
