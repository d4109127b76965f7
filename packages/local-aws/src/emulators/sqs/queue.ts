import { type Millis, SECOND } from "../../support/time.ts";
import { ServiceError } from "../service-error.ts";
import { ClockTimer } from "../timer.ts";
import { numericAttribute, parseRedrive, type Redrive } from "./attributes.ts";
import type { Chaos } from "./chaos.ts";
import { parseHandle } from "./handles.ts";
import { LongPolls } from "./long-polls.ts";
import { MessageIndex, type Slot } from "./message-index.ts";
import { type Message, markMoved, markPostponed, markReceived, releaseInFlight } from "./messages.ts";
import type { QueueSettings, QueueSnapshot, SqsRecord } from "./records.ts";

/** What a queue needs from its service. */
export interface QueueHost {
  now(): Millis;
  /** Writes records to disk. Call it before the request is answered. */
  record(...records: SqsRecord[]): void;
  queueByArn(arn: string): Queue | undefined;
  readonly chaos: Chaos;
}

/** One standard queue: its messages, its waiting receives and its redrive policy. */
export class Queue {
  readonly name: string;
  readonly arn: string;
  readonly #host: QueueHost;
  readonly #index: MessageIndex;
  readonly #polls: LongPolls;
  readonly #timer: ClockTimer;
  #settings: QueueSettings;
  #redrive: Redrive | null;

  constructor(name: string, arn: string, snapshot: QueueSnapshot, host: QueueHost) {
    this.name = name;
    this.arn = arn;
    this.#host = host;
    this.#settings = snapshot.settings;
    this.#redrive = parseRedrive(snapshot.settings.attributes);
    this.#index = new MessageIndex(host.now);
    this.#polls = new LongPolls(host.now);
    this.#timer = new ClockTimer(host.now, () => this.wake());
    for (const message of snapshot.messages.values()) this.#index.put(releaseInFlight(message, host.now()), false);
  }

  get settings(): QueueSettings {
    return this.#settings;
  }

  get redrive(): Redrive | null {
    return this.#redrive;
  }

  configure(settings: QueueSettings): void {
    this.#settings = settings;
    this.#redrive = parseRedrive(settings.attributes);
  }

  /** Adds messages. Each becomes visible at its `availableAt`. `copy`: a second delivery from the fault injection. */
  add(messages: readonly Message[], copy = false): void {
    for (const message of messages) this.#index.put(message, copy);
    this.wake();
  }

  /** Receives up to `max` messages and hides them for `visibility` ms. Waits up to `wait` ms for the first one. */
  async receive(max: number, visibility: Millis, wait: Millis, signal: AbortSignal): Promise<Message[]> {
    const messages = this.#receiveReady(max, visibility);
    if (messages.length > 0 || wait <= 0) return messages;
    const waiting = this.#polls.add(max, visibility, wait, signal);
    this.#arm();
    return waiting;
  }

  /** Deletes by handle. Each result is an error, or null on success. An outdated handle also gives null, as in SQS. */
  remove(handles: readonly string[]): (ServiceError | null)[] {
    const slots: Slot[] = [];
    const outcomes = handles.map((handle) => {
      try {
        const slot = this.#findSlot(handle);
        if (slot && !slots.includes(slot)) slots.push(slot);
        return null;
      } catch (error) {
        if (error instanceof ServiceError) return error;
        throw error;
      }
    });
    this.#delete(slots);
    const copies = slots.filter((slot) => !slot.copy && this.#host.chaos.shouldDuplicate());
    // One receive fewer, so that the copy does not become a dead letter. Another turn, so that the old handle does not
    // delete it.
    for (const { message } of copies) {
      this.add([{ ...message, receives: message.receives - 1, turn: message.turn + 1 }], true);
    }
    return outcomes;
  }

  /** Hides a message in flight for `visibility` ms from now. */
  changeVisibility(handle: string, visibility: Millis): void {
    const slot = this.#findSlot(handle);
    this.#index.releaseDue();
    if (slot?.state !== "inFlight") {
      throw new ServiceError(
        "InvalidParameterValue",
        `Value ${handle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.`,
      );
    }
    const until = this.#host.now() + visibility;
    this.#host.record({ op: "postpone", queue: this.name, until, ids: [slot.message.id] });
    slot.message = markPostponed(slot.message, until);
    this.#index.hide(slot, until);
    this.wake();
  }

  purge(): void {
    this.#host.record({ op: "purge", queue: this.name });
    this.#index.clear();
  }

  counts(): { visible: number; inFlight: number; delayed: number } {
    this.#dropExpired();
    this.#index.releaseDue();
    return this.#index.counts();
  }

  /** Moves every visible dead letter to `target`, or back to its source queue. Returns the number of messages. */
  moveAll(target: Queue | null): number {
    this.#index.releaseDue();
    const ready = [...this.#index.slots()].filter((slot) => slot.state === "ready");
    const byTarget = Map.groupBy(ready, ({ message }) => target ?? this.#host.queueByArn(message.source ?? ""));
    for (const [to, slots] of byTarget) if (to) this.#move(slots, to, null);
    return ready.length - (byTarget.get(undefined)?.length ?? 0);
  }

  /** Delivers visible messages to the waiting receives and sets the timer for the next change. */
  wake(): void {
    for (const poll of this.#polls.list()) {
      const messages = this.#receiveReady(poll.max, poll.visibility);
      if (messages.length === 0) break;
      poll.resolve(messages);
    }
    this.#arm();
  }

  onClockAdvance(): void {
    this.#dropExpired();
    this.wake();
    this.#polls.onClockAdvance();
  }

  /** The queue's state for the journal. */
  snapshot(): QueueSnapshot {
    const persisted = [...this.#index.slots()].filter((slot) => !slot.copy);
    return { settings: this.#settings, messages: new Map(persisted.map(({ message }) => [message.id, message])) };
  }

  close(): void {
    this.#polls.close();
    this.#timer.set(null);
  }

  #receiveReady(max: number, visibility: Millis): Message[] {
    const now = this.#host.now();
    const [ready, dead, expired]: [Slot[], Slot[], Slot[]] = [[], [], []];
    const deadLetters = this.#redrive && this.#host.queueByArn(this.#redrive.targetArn);
    this.#index.releaseDue();
    while (ready.length < max) {
      const slot = this.#index.next(this.#host.chaos.draw());
      if (!slot) break;
      if (this.#isExpired(slot.message, now)) expired.push(slot);
      else if (deadLetters && slot.message.receives >= (this.#redrive?.maxReceives ?? 0)) dead.push(slot);
      else ready.push(slot);
    }
    this.#delete(expired);
    if (deadLetters) this.#move(dead, deadLetters, this.arn);
    if (ready.length === 0) return [];
    const until = now + visibility;
    this.#host.record({ op: "receive", queue: this.name, at: now, until, ids: ready.map(({ message }) => message.id) });
    return ready.map((slot) => {
      slot.message = markReceived(slot.message, now, until);
      this.#index.hide(slot, until);
      return slot.message;
    });
  }

  #move(slots: readonly Slot[], to: Queue, source: string | null): void {
    if (slots.length === 0) return;
    const ids = slots.map((slot) => slot.message.id);
    this.#host.record({ op: "move", queue: this.name, to: to.name, source, ids });
    for (const slot of slots) {
      this.#index.remove(slot);
      to.add([markMoved(slot.message, source)], slot.copy);
    }
  }

  #delete(slots: readonly Slot[]): void {
    const persisted = slots.filter((slot) => !slot.copy);
    if (persisted.length > 0) {
      this.#host.record({ op: "delete", queue: this.name, ids: persisted.map((slot) => slot.message.id) });
    }
    for (const slot of slots) this.#index.remove(slot);
  }

  #dropExpired(): void {
    const now = this.#host.now();
    this.#delete([...this.#index.slots()].filter((slot) => this.#isExpired(slot.message, now)));
  }

  #isExpired(message: Message, now: Millis): boolean {
    return message.sentAt + numericAttribute(this.#settings.attributes, "MessageRetentionPeriod") * SECOND <= now;
  }

  #findSlot(handle: string): Slot | null {
    const { id, turn } = parseHandle(handle, this.name);
    const slot = this.#index.get(id);
    return slot?.message.turn === turn ? slot : null;
  }

  /** Sets the timer only while a receive waits: without one, nothing has to happen on time. */
  #arm(): void {
    this.#timer.set(this.#polls.size > 0 ? this.#index.nextDue() : null);
  }
}
