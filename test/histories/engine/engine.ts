import type { Millis } from "#base/kernel/time.ts";
import { seededRandom } from "../../support/flows/races/deterministic-scheduler.ts";
import { currentProcess, type WorldProcess } from "../../support/world/processes.ts";
import { type VirtualTimer, virtualizeProcess } from "./virtual-process.ts";

/** A call to outside that waits for its turn. */
interface WaitingCall {
  readonly process: WorldProcess | null;
  readonly start: () => void;
}

/** Something that can happen now, besides the waiting calls. */
export type Opportunity = () => void;

interface PlannedEvent {
  readonly at: Millis;
  readonly happen: () => void;
}

/** The time that one call to outside takes. */
const CALL_TAKES: Millis = 3;
/** Turns of the event loop after which nothing continues by itself: more than a request's body needs. */
const QUIET_TURNS = 6;

/**
 * Runs everything that a history starts. At each tick one thing happens: a call of some process, a timer, a planned
 * event, or the arrival of messages. The seed decides which. Time passes only when nothing can happen now.
 */
export class Engine {
  readonly #random: () => number;
  readonly #timers: Set<VirtualTimer>;
  readonly #restore: () => void;
  readonly #calls: WaitingCall[] = [];
  readonly #events: PlannedEvent[] = [];
  readonly #nextTurn = setImmediate;
  #now: Millis;
  /** What may happen now: messages that can be received. */
  opportunities: () => readonly Opportunity[] = () => [];
  /** When the next opportunity arises; Infinity for never. */
  nextOpportunity: () => Millis = () => Infinity;

  constructor(seed: number, startAt: Millis) {
    this.#now = startAt;
    this.#random = seededRandom(seed);
    const { timers, restore } = virtualizeProcess({ seed: seed ^ 0x5bd1e995, now: () => this.#now });
    this.#timers = timers;
    this.#restore = restore;
  }

  readonly now = (): Millis => this.#now;

  close(): void {
    this.#restore();
  }

  /** Waits for the caller's turn. */
  turn(): Promise<void> {
    const process = currentProcess();
    return new Promise((start) => this.#calls.push({ process, start }));
  }

  /** Lets something happen at an instant. */
  plan(at: Millis, happen: () => void): void {
    this.#events.push({ at, happen });
  }

  /** A promise that resolves at an instant of the world. */
  until(at: Millis): Promise<void> {
    return new Promise((resolve) => this.plan(at, resolve));
  }

  /** Lets up to `ticks` things happen, without letting time pass. @returns false when nothing more can happen now */
  async run(ticks: number): Promise<boolean> {
    for (let tick = 0; tick < ticks; tick++) if (!(await this.#tick())) return false;
    return true;
  }

  /** Lets things happen until an instant. */
  async runUntil(end: Millis): Promise<void> {
    for (;;) {
      if (await this.#tick()) continue;
      const next = this.#nextInstant();
      if (next > end) break;
      this.#now = Math.max(this.#now, next);
    }
    this.#now = Math.max(this.#now, end);
  }

  async #tick(): Promise<boolean> {
    for (let turn = 0; turn < QUIET_TURNS; turn++) {
      await new Promise((resolve) => this.#nextTurn(resolve));
      if (this.#happenNow()) return true;
      if (this.#calls.some(isRunning)) break;
    }
    const calls = this.#calls.filter(isRunning);
    const opportunities = this.opportunities();
    const choice = Math.floor(this.#random() * (calls.length + opportunities.length));
    const call = calls[choice];
    if (call) {
      this.#calls.splice(this.#calls.indexOf(call), 1);
      this.#now += CALL_TAKES;
      call.start();
      return true;
    }
    const opportunity = opportunities[choice - calls.length];
    opportunity?.();
    return opportunity !== undefined;
  }

  /** Fires one timer or planned event that is due. */
  #happenNow(): boolean {
    const event = earliest(this.#events, (each) => each.at <= this.#now);
    if (event) {
      this.#events.splice(this.#events.indexOf(event), 1);
      event.happen();
      return true;
    }
    const timer = earliest([...this.#timers], (each) => each.at <= this.#now && isRunning(each));
    if (!timer) return false;
    this.#timers.delete(timer);
    timer.fire();
    return true;
  }

  #nextInstant(): Millis {
    for (const timer of this.#timers) if (timer.process?.state === "killed") this.#timers.delete(timer);
    const timers = [...this.#timers].filter(isRunning).map(({ at }) => at);
    return Math.min(...timers, ...this.#events.map(({ at }) => at), this.nextOpportunity());
  }
}

function isRunning({ process }: { readonly process: WorldProcess | null }): boolean {
  return process === null || process.state === "running";
}

function earliest<T extends { readonly at: Millis }>(all: readonly T[], isCandidate: (each: T) => boolean): T | null {
  let first: T | null = null;
  for (const each of all) if (isCandidate(each) && (first === null || each.at < first.at)) first = each;
  return first;
}
