import type { Millis } from "../../support/time.ts";
import { DueHeap, type Timer } from "./heap.ts";
import type { Message } from "./messages.ts";
import { NoisyGroups } from "./noisy-groups.ts";
import { ReadyGroups } from "./ready-groups.ts";
import type { ReadyEntry } from "./ready-list.ts";

/** A message and its state. */
export interface Slot {
  message: Message;
  state: "delayed" | "ready" | "inFlight";
  /** Changes with every change of state, so that older timers and entries are recognized as stale. */
  epoch: number;
  /** True for a second delivery of a deleted message. Such a message is not on disk. */
  readonly copy: boolean;
}

const STALE_SLACK = 1_000;

/** The messages of a queue by state: delayed, ready for delivery, or in flight. */
export class MessageIndex {
  readonly #now: () => Millis;
  #slots = new Map<string, Slot>();
  #ready = new ReadyGroups();
  #noisy = new NoisyGroups();
  #timers = new DueHeap();
  #epoch = 0;
  #counts = { delayed: 0, ready: 0, inFlight: 0 };

  constructor(now: () => Millis) {
    this.#now = now;
  }

  slots(): Iterable<Slot> {
    return this.#slots.values();
  }

  get(id: string): Slot | undefined {
    return this.#slots.get(id);
  }

  put(message: Message, copy: boolean): void {
    const delayed = message.availableAt > this.#now();
    const slot: Slot = { message, state: delayed ? "delayed" : "ready", epoch: 0, copy };
    this.#slots.set(message.id, slot);
    this.#counts[slot.state] += 1;
    this.#noisy.onSend(message.groupId, message.sentAt);
    if (delayed) this.#scheduleTimer(slot, message.availableAt);
    else this.#enqueue(slot);
  }

  remove(slot: Slot): void {
    if (this.#slots.get(slot.message.id) !== slot) return;
    this.#slots.delete(slot.message.id);
    this.#count(slot, -1);
  }

  clear(): void {
    this.#slots = new Map();
    this.#ready = new ReadyGroups();
    this.#noisy = new NoisyGroups();
    this.#timers = new DueHeap();
    this.#counts = { delayed: 0, ready: 0, inFlight: 0 };
  }

  /** Takes the next ready message; with `random`, any of them. The caller must hide or remove it. */
  next(random: (() => number) | null): Slot | null {
    for (;;) {
      this.#noisy.update(
        this.#ready.waiting((entry) => this.#current(entry) !== null),
        this.#now(),
      );
      const entry = this.#ready.shift(this.#noisy, random);
      const slot = entry && this.#current(entry);
      if (!entry || slot) return slot ?? null;
    }
  }

  /** Marks a message as in flight until `until`. */
  hide(slot: Slot, until: Millis): void {
    this.#change(slot, "inFlight");
    this.#scheduleTimer(slot, until);
  }

  /** Makes all due messages ready. */
  releaseDue(): void {
    const now = this.#now();
    for (let first = this.#timers.first(); first && first.at <= now; first = this.#timers.first()) {
      this.#timers.pop();
      const slot = this.#current(first);
      if (!slot) continue;
      this.#change(slot, "ready");
      this.#enqueue(slot);
    }
  }

  /** The time at which the next hidden message becomes visible; null if none is hidden. */
  nextDue(): Millis | null {
    for (let first = this.#timers.first(); first; first = this.#timers.first()) {
      if (this.#current(first)) return first.at;
      this.#timers.pop();
    }
    return null;
  }

  counts(): { visible: number; inFlight: number; delayed: number } {
    return { visible: this.#counts.ready, inFlight: this.#counts.inFlight, delayed: this.#counts.delayed };
  }

  #change(slot: Slot, state: Slot["state"]): void {
    this.#count(slot, -1);
    slot.state = state;
    this.#count(slot, 1);
  }

  #count(slot: Slot, by: 1 | -1): void {
    this.#counts[slot.state] += by;
    if (slot.state === "inFlight") this.#noisy.countInFlight(slot.message.groupId, by);
  }

  #enqueue(slot: Slot): void {
    slot.epoch = ++this.#epoch;
    this.#ready.push(slot.message.groupId, { id: slot.message.id, epoch: slot.epoch });
  }

  #scheduleTimer(slot: Slot, at: Millis): void {
    slot.epoch = ++this.#epoch;
    this.#timers.push({ at, id: slot.message.id, epoch: slot.epoch });
    if (this.#timers.size > 2 * this.#slots.size + STALE_SLACK) {
      this.#timers.retain((timer) => this.#current(timer) !== null);
    }
  }

  /** The slot of an entry, unless the entry is stale. */
  #current(entry: Timer | ReadyEntry): Slot | null {
    const slot = this.#slots.get(entry.id);
    return slot?.epoch === entry.epoch ? slot : null;
  }
}
