import { randomUUID } from "node:crypto";
import { printError } from "../../../loopback/src/terminal.ts";
import type { Delivery, LoggedWebhook, OutgoingEvent, SecretName, WebhookObject } from "../world/model.ts";
import type { World } from "../world/world.ts";
import { postWebhook, webhookHeaders } from "./post.ts";
import { wireJson } from "./signing.ts";
import { endTime, recordFailure, recordSuccess, subscribedNodes } from "./subscription-health.ts";
import { WebhookLog } from "./webhook-log.ts";

/** Waits before the retries: the first ones come quickly, then the wait grows up to one hour. */
const retryDelaysMs = [100, 400, 1_500, 5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000];
const concurrencyMax = 16;
/** Signs what the app must refuse. */
const FORGED_SECRET = "not the secret of the app";
const batchWindowMs = 1_000;
/** A longer timer would fire at once. */
const timerMaxMs = 2 ** 31 - 1;

const reportFailure = (error: unknown): void => printError("platform simulator:", error);

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

/** A webhook that waits for its first attempt. */
export interface EnqueuedWebhook {
  /** Null if the event waits for its batch to fill. */
  id: string | null;
  /** The receiver's status or the problem after the first attempt; null if the event waits for its batch to fill. */
  outcome: Promise<number | string | null>;
}

/**
 * Sends webhooks at least once and retries until the receiver answers 200, or until the platform ends the subscription.
 * Retries follow the simulator's clock.
 */
export class Deliveries {
  readonly log: WebhookLog;
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
    this.log = new WebhookLog(world.state.webhooks);
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

  /** Applies a change of the simulator's clock. A clock that was set back does not delay what waits. */
  onClockChange(byMs: number): void {
    if (byMs < 0) for (const delivery of this.#world.state.deliveries) delivery.dueAt += byMs;
    this.#tick();
  }

  /** The time of a webhook's next attempt by the simulator's clock; null if it does not wait. */
  nextAttemptAt(id: string): number | null {
    return this.#world.state.deliveries.find((delivery) => delivery.id === id)?.dueAt ?? null;
  }

  /** Queues an event for delivery after `delayMs`. */
  enqueue(event: OutgoingEvent, delayMs = 0): EnqueuedWebhook {
    if (this.options.batch <= 1) return this.enqueueBody(this.#compose([event]), delayMs);
    this.#world.state.gathering.push(event);
    const sameBatch = this.#world.state.gathering.filter(
      (other) => other.object === event.object && other.secret === event.secret,
    );
    if (sameBatch.length >= this.options.batch) this.#flushBatches();
    clearTimeout(this.#batchTimer);
    this.#batchTimer = setTimeout(() => this.#flushBatches(), batchWindowMs);
    return { id: null, outcome: Promise.resolve(null) };
  }

  /** The same for a complete body. */
  enqueueBody(
    webhook: Pick<Delivery, "object" | "secret" | "body" | "mids" | "copyOf" | "isForged">,
    delayMs = 0,
  ): EnqueuedWebhook {
    const jitter = this.options.shuffle ? Math.random() * 400 : 0;
    const copies = Array.from(
      { length: 1 + this.options.duplicate },
      (): Delivery => ({
        ...webhook,
        id: randomUUID(),
        nodes: webhook.isForged ? [] : subscribedNodes(this.#world, webhook.object, webhook.body),
        attempts: 0,
        dueAt: this.#world.now() + delayMs + jitter,
        lastProblem: null,
      }),
    );
    const [{ id } = { id: "" }] = copies;
    const outcome = new Promise<number | string>((resolve) => {
      this.#firstAttempts.set(id, resolve);
    });
    this.#world.state.deliveries.push(...copies);
    for (const copy of copies) this.#log(copy);
    // Save before the first attempt, so that a crash in between loses nothing.
    void this.#world.save().then(() => this.#tick(), reportFailure);
    return { id, outcome };
  }

  /**
   * Sends a webhook of the log again, or a changed body in its place. `isForged` signs it with a secret that is not the app's:
   * it is sent once, and its refusal does not count against the subscription.
   */
  sendAgain(
    original: LoggedWebhook,
    { object, body, isForged }: { object: WebhookObject; body: string; isForged: boolean },
  ): EnqueuedWebhook {
    const { id: copyOf, secret } = original;
    return this.enqueueBody({ object, secret, body, mids: [], copyOf, ...(isForged ? { isForged } : {}) });
  }

  /** The request of a delivery, which is the same for every attempt. */
  #request({ object, body, secret, isForged }: Delivery): {
    url: string;
    headers: Record<string, string>;
    body: string;
  } {
    const { webhookBase, secrets } = this.#settings;
    const path = object === "instagram" ? "/webhooks/instagram" : "/webhooks/messenger";
    return {
      url: `${webhookBase}${path}`,
      headers: webhookHeaders(body, isForged ? FORGED_SECRET : secrets[secret]),
      body,
    };
  }

  #log(delivery: Delivery): void {
    const { copyOf, secret } = delivery;
    this.log.add(delivery.id, {
      ...this.#request(delivery),
      secret,
      ...(copyOf === undefined ? {} : { copy_of: copyOf }),
    });
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
    const now = this.#world.now();
    const idle = this.#world.state.deliveries.filter((delivery) => !this.#inFlight.has(delivery.id));
    const due = idle.filter((delivery) => delivery.dueAt <= now).sort((a, b) => a.dueAt - b.dueAt);
    for (const delivery of due.slice(0, concurrencyMax - this.#inFlight.size)) {
      const attempt = this.#attempt(delivery)
        .catch(reportFailure)
        .finally(() => {
          this.#inFlight.delete(delivery.id);
          this.#tick();
        });
      this.#inFlight.set(delivery.id, attempt);
    }
    const later = idle.filter((delivery) => delivery.dueAt > now).map((delivery) => delivery.dueAt);
    const wait = Math.min(...later, now + timerMaxMs) - now;
    if (later.length > 0) this.#timer = setTimeout(() => this.#tick(), Math.max(1, wait));
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { url, headers, body } = this.#request(delivery);
    // A delivery of an earlier run is not in the log yet.
    this.#log(delivery);
    const at = this.#world.now();
    const answer = await postWebhook(url, headers, body);
    this.log.addAttempt(delivery.id, at, answer);
    const outcome = answer.status ?? answer.problem ?? "no answer";
    if (outcome === 200) this.#settle(delivery);
    else this.#retry(delivery, typeof outcome === "number" ? `the receiver answered ${outcome}` : outcome);
    await this.#world.save();
    this.#firstAttempts.get(delivery.id)?.(outcome);
    this.#firstAttempts.delete(delivery.id);
  }

  #settle(delivery: Delivery): void {
    const { deliveries } = this.#world.state;
    const at = deliveries.indexOf(delivery);
    if (at >= 0) deliveries.splice(at, 1);
    recordSuccess(this.#world, delivery.nodes);
    this.#world.setWebhookStatus(delivery.mids, "delivered");
  }

  #retry(delivery: Delivery, problem: string): void {
    const { deliveries } = this.#world.state;
    // The subscription may have ended during the attempt.
    if (!deliveries.includes(delivery)) return;
    if (delivery.isForged) {
      deliveries.splice(deliveries.indexOf(delivery), 1);
      return;
    }
    recordFailure(this.#world, delivery.nodes);
    const now = this.#world.now();
    const retryAt = now + (retryDelaysMs[Math.min(delivery.attempts, retryDelaysMs.length - 1)] ?? 3_600_000);
    // The hour ends with an attempt.
    const endAt = endTime(this.#world, delivery.nodes);
    delivery.dueAt = endAt > now ? Math.min(retryAt, endAt) : retryAt;
    delivery.attempts += 1;
    delivery.lastProblem = problem;
  }
}

/** One webhook body with an entry for each event and the key order of the real platforms. `now` in milliseconds. */
function composeBody(object: WebhookObject, events: readonly OutgoingEvent[], now: number, shuffle = false): string {
  const ordered = shuffle ? shuffleItems(events) : events;
  const entry = ordered.map(({ entryId, slot, event }) => ({ time: now, id: entryId, [slot]: [event] }));
  return wireJson({ object, entry });
}

function shuffleItems<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
