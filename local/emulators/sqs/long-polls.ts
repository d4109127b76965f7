import type { Millis } from "../../../shared/kernel/time.ts";
import { Alarm } from "../alarm.ts";
import type { Message } from "./messages.ts";

export interface Poll {
  readonly max: number;
  readonly visibility: Millis;
  /** Ends the poll with these messages. */
  answer(messages: Message[]): void;
}

/** The receives of one queue that wait for a message, the longest waiting first. */
export class LongPolls {
  readonly #now: () => Millis;
  readonly #open = new Map<Poll, Alarm>();

  constructor(now: () => Millis) {
    this.#now = now;
  }

  get size(): number {
    return this.#open.size;
  }

  /** A snapshot, so that answering one while walking is safe. */
  list(): Poll[] {
    return [...this.#open.keys()];
  }

  /** Resolves with what `answer` is given, or with nothing once `wait` has passed or the caller has gone. */
  add(max: number, visibility: Millis, wait: Millis, gone: AbortSignal): Promise<Message[]> {
    if (gone.aborted) return Promise.resolve([]);
    return new Promise((resolve) => {
      const end = (messages: Message[]): void => {
        alarm.set(null);
        this.#open.delete(poll);
        gone.removeEventListener("abort", giveUp);
        resolve(messages);
      };
      const giveUp = (): void => end([]);
      const alarm = new Alarm(this.#now, giveUp, wait);
      const poll: Poll = { max, visibility, answer: end };
      this.#open.set(poll, alarm);
      gone.addEventListener("abort", giveUp);
      alarm.set(this.#now() + wait);
    });
  }

  clockMoved(): void {
    for (const alarm of this.#open.values()) alarm.rearm();
  }

  close(): void {
    for (const poll of this.list()) poll.answer([]);
  }
}
