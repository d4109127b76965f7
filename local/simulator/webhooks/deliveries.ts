import { randomUUID } from "node:crypto";
import type { Delivery, OutgoingEvent, SecretName, WebhookObject } from "../world/model.ts";
import type { World } from "../world/world.ts";
import { composeBody } from "./body.ts";
import { postWebhook } from "./post.ts";

/** Waits before the retries: the first ones come quickly, then the wait grows up to one hour. */
const retryDelaysMs = [100, 400, 1_500, 5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000];
const concurrencyMax = 16;
const batchWindowMs = 1_000;

export interface DeliveryOptions {
  /** Events per body; 1 sends each event separately. */
  batch: number;
  /** Number of extra copies of every body. */
  duplicate: number;
  /** Shuffles the events within a body and the bodies. */
  shuffle: boolean;
}

export interface DeliverySettings {
  webhookBase: string;
  secrets: Record<SecretName, string>;
}

/** Sends webhooks at least once and retries until the receiver answers 200. */
export class Deliveries {
  options: DeliveryOptions = { batch: 1, duplicate: 0, shuffle: false };
  readonly #world: World;
  readonly #settings: DeliverySettings;
  readonly #inFlight = new Map<string, Promise<void>>();
  /** Callbacks that wait for the first attempt of a delivery. */
  readonly #firstAttempts = new Map<string, (status: number | string) => void>();
  #timer: NodeJS.Timeout | undefined;
  #batchTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(world: World, settings: DeliverySettings) {
    this.#world = world;
    this.#settings = settings;
  }

  /** Resumes the deliveries of an earlier run: everything pending is due now. */
  start(): void {
    this.deliverNow();
  }

  /** Aborts the attempts in progress. Pending deliveries stay in the state. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#batchTimer);
    await Promise.all(this.#inFlight.values());
    for (const resolve of this.#firstAttempts.values()) resolve("the simulator was closed");
    this.#firstAttempts.clear();
  }

  /** The deliveries without a 200 so far, without their bodies. */
  pending(): Omit<Delivery, "body">[] {
    return this.#world.state.deliveries.map(({ body: _, ...rest }) => rest);
  }

  /** Makes every pending delivery due now and closes incomplete batches. */
  deliverNow(): void {
    for (const delivery of this.#world.state.deliveries) delivery.dueAt = 0;
    this.#flushBatches();
    this.#tick();
  }

  /**
   * Queues an event for delivery after `delayMs`. Resolves after the first attempt with the receiver's status or the
   * problem. Resolves at once with null if the event waits for its batch to fill.
   */
  enqueue(event: OutgoingEvent, delayMs = 0): Promise<number | string | null> {
    if (this.options.batch <= 1) return this.enqueueBody(this.#compose([event]), delayMs);
    this.#world.state.gathering.push(event);
    const sameBatch = this.#world.state.gathering.filter(
      (other) => other.object === event.object && other.secret === event.secret,
    );
    if (sameBatch.length >= this.options.batch) this.#flushBatches();
    clearTimeout(this.#batchTimer);
    this.#batchTimer = setTimeout(() => this.#flushBatches(), batchWindowMs);
    return Promise.resolve(null);
  }

  /** The same for a complete body. */
  enqueueBody(
    webhook: { object: WebhookObject; secret: SecretName; body: string; mids: string[] },
    delayMs = 0,
  ): Promise<number | string> {
    const jitter = this.options.shuffle ? Math.random() * 400 : 0;
    const copies = Array.from(
      { length: 1 + this.options.duplicate },
      (): Delivery => ({
        ...webhook,
        id: randomUUID(),
        attempts: 0,
        dueAt: Date.now() + delayMs + jitter,
        lastProblem: null,
      }),
    );
    const first = new Promise<number | string>((resolve) => {
      this.#firstAttempts.set(copies[0]?.id ?? "", resolve);
    });
    this.#world.state.deliveries.push(...copies);
    // Save before the first attempt, so that a crash in between loses nothing.
    void this.#world.save().then(() => this.#tick(), console.error);
    return first;
  }

  #compose(events: OutgoingEvent[]): { object: WebhookObject; secret: SecretName; body: string; mids: string[] } {
    const object = events[0]?.object ?? "instagram";
    return {
      object,
      secret: events[0]?.secret ?? "meta",
      body: composeBody(object, events, this.#world.now(), this.options.shuffle),
      mids: events.flatMap((event) => event.mid ?? []),
    };
  }

  #flushBatches(): void {
    clearTimeout(this.#batchTimer);
    const groups = Map.groupBy(this.#world.state.gathering, (event) => `${event.object} ${event.secret}`);
    this.#world.state.gathering.length = 0;
    for (const events of groups.values()) void this.enqueueBody(this.#compose(events));
  }

  #tick(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    const now = Date.now();
    const idle = this.#world.state.deliveries.filter((delivery) => !this.#inFlight.has(delivery.id));
    const due = idle.filter((delivery) => delivery.dueAt <= now).sort((a, b) => a.dueAt - b.dueAt);
    for (const delivery of due.slice(0, concurrencyMax - this.#inFlight.size)) {
      const attempt = this.#attempt(delivery)
        .catch(console.error)
        .finally(() => {
          this.#inFlight.delete(delivery.id);
          this.#tick();
        });
      this.#inFlight.set(delivery.id, attempt);
    }
    const later = idle.filter((delivery) => delivery.dueAt > now).map((delivery) => delivery.dueAt);
    if (later.length > 0) this.#timer = setTimeout(() => this.#tick(), Math.max(1, Math.min(...later) - now));
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { webhookBase, secrets } = this.#settings;
    const path = delivery.object === "instagram" ? "/webhooks/instagram" : "/webhooks/messenger";
    const outcome = await postWebhook(`${webhookBase}${path}`, delivery.body, secrets[delivery.secret]);
    const { deliveries } = this.#world.state;
    if (outcome === 200) {
      const at = deliveries.indexOf(delivery);
      if (at >= 0) deliveries.splice(at, 1);
      this.#world.setWebhookStatus(delivery.mids, "delivered");
    } else {
      delivery.dueAt = Date.now() + (retryDelaysMs[Math.min(delivery.attempts, retryDelaysMs.length - 1)] ?? 3_600_000);
      delivery.attempts += 1;
      delivery.lastProblem = typeof outcome === "number" ? `the receiver answered ${outcome}` : outcome;
    }
    await this.#world.save();
    this.#firstAttempts.get(delivery.id)?.(outcome);
    this.#firstAttempts.delete(delivery.id);
  }
}
