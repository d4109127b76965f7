import { ParleyError } from "../../client/src/errors.ts";
import { checkedSecrets, verifyWebhook, type WebhookRequest } from "../../client/src/webhook-verifier.ts";
import type { EventHandlers, OtherEvent } from "./events.ts";
import type { ClaimState, EventStore } from "./store.ts";

export interface ReceiverOptions {
  /**
   * The endpoint's signing secret, `whs_…`. Both secrets while you rotate it.
   * Throws a ParleyError `invalid_argument` for another form, such as that of a variable that is not set.
   */
  readonly secret: string | readonly string[] | undefined;
  /** Remembers the processed events: `memoryStore()` in one process, your database in several. */
  readonly store: EventStore;
  /** By type. An event of another type is accepted and ignored. */
  readonly on?: EventHandlers | undefined;
  /** Gets the events that `on` has no function for, also those of types that a later version of the API publishes. */
  readonly onOther?: ((event: OtherEvent) => unknown) | undefined;
  /** Gets each error: of your functions, of the store, and a refused request. Default: prints it with `console.error`. */
  readonly onError?: ((error: unknown, context: ErrorContext) => void) | undefined;
  /** Seconds for which a process may work on an event. Then a retry is processed, too. Default: 300. */
  readonly claimSeconds?: number | undefined;
  /** Seconds for which the store remembers a processed event. Default: 691,200, eight days: longer than any retry or replay. */
  readonly rememberSeconds?: number | undefined;
  /** Seconds that a delivery waits while another one of the same event is processed. Default: 8. Parley waits 15. */
  readonly waitSeconds?: number | undefined;
  /** The receiver's clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** What an error is about. Null as long as the request is not verified. */
export interface ErrorContext {
  readonly eventId: string | null;
  readonly eventType: string | null;
}

/** A request as it came: the body before any parser. */
export interface ReceiverRequest {
  readonly method: string;
  readonly headers: WebhookRequest["headers"];
  readonly body: WebhookRequest["body"];
}

/**
 * - `processed`: a function was called and succeeded
 * - `duplicate`: the event was processed before
 * - `ignored`: no function takes the type
 * - `refused`: the request is not a delivery that Parley signed with this secret
 * - `busy`: another delivery of the event is still processed; Parley tries again
 * - `failed`: a function or the store failed; Parley tries again
 */
export type Outcome = "processed" | "duplicate" | "ignored" | "refused" | "busy" | "failed";

export interface ReceiverResponse {
  readonly outcome: Outcome;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A text about a refusal or a failure. Empty otherwise. */
  readonly body: string;
}

export interface Receiver {
  /** Verifies and processes one request. Never throws. */
  handle(request: ReceiverRequest): Promise<ReceiverResponse>;
  /** Reports an error that prevented `handle`, such as a body that was parsed before, and returns the response. */
  fail(error: unknown): ReceiverResponse;
}

const CLAIM_SECONDS = 300;
const REMEMBER_SECONDS = 8 * 86_400;
const WAIT_SECONDS = 8;
const POLL_MS = 250;
const RETRY_AFTER_SECONDS = 5;

/** A receiver of Parley's webhooks. An adapter, such as `nodeHandler`, makes it a handler of a framework. */
export function createReceiver(options: ReceiverOptions): Receiver {
  const { store, on = {}, onOther, onError = printError, now = Date.now } = options;
  const secrets = checkedSecrets(options.secret ?? "");
  if (typeof store?.claim !== "function") {
    throw new ParleyError({
      code: "invalid_argument",
      message: "Missing store. Pass memoryStore() or a store of yours.",
    });
  }

  function report(error: unknown, event: OtherEvent | null): void {
    try {
      onError(error, { eventId: event?.id ?? null, eventType: event?.type ?? null });
    } catch {
      // A failing report must not change the response.
    }
  }

  function fail(error: unknown, event: OtherEvent | null = null): ReceiverResponse {
    report(error, event);
    return respond("failed", 500, "The receiver failed.");
  }

  /** The function of an event, or null. Names such as `constructor` are no types. */
  function findHandler(event: OtherEvent): (() => unknown) | null {
    const handler = Object.hasOwn(on, event.type)
      ? (on as Readonly<Record<string, ((event: OtherEvent) => unknown) | undefined>>)[event.type]
      : undefined;
    const eventHandler = handler ?? onOther;
    return eventHandler === undefined ? null : () => eventHandler(event);
  }

  /** Claims the event. While another delivery is processed, waits for its outcome. */
  async function claim(eventId: string): Promise<ClaimState> {
    const attempts = Math.ceil(((options.waitSeconds ?? WAIT_SECONDS) * 1_000) / POLL_MS);
    for (let attempt = 0; ; attempt++) {
      const state = await store.claim(eventId, options.claimSeconds ?? CLAIM_SECONDS);
      if (state !== "processing" || attempt >= attempts) return state;
      await sleep(POLL_MS);
    }
  }

  /** A failure is reported, and the claim ends by itself later. The error of the event's function counts. */
  async function release(event: OtherEvent): Promise<void> {
    try {
      await store.release(event.id);
    } catch (error) {
      report(error, event);
    }
  }

  async function process(event: OtherEvent): Promise<ReceiverResponse> {
    const handler = findHandler(event);
    if (handler === null) return respond("ignored", 204);
    const state = await claim(event.id);
    if (state === "processed") return respond("duplicate", 204);
    if (state === "processing") {
      const headers = { "retry-after": String(RETRY_AFTER_SECONDS) };
      return respond("busy", 503, "Another delivery of this event is in progress.", headers);
    }
    try {
      await handler();
    } catch (error) {
      await release(event);
      throw error;
    }
    await store.complete(event.id, options.rememberSeconds ?? REMEMBER_SECONDS);
    return respond("processed", 204);
  }

  return {
    async handle({ method, headers, body }) {
      if (method !== "POST") {
        return respond("refused", 405, "Webhooks are sent with POST.", { allow: "POST" });
      }
      let event: OtherEvent | null = null;
      try {
        event = await verifyWebhook({ headers, body }, secrets, { now: now() });
        return await process(event);
      } catch (error) {
        if (event !== null || !isRefusal(error)) return fail(error, event);
        report(error, null);
        return respond("refused", 401, error.message);
      }
    },
    fail,
  };
}

/** Signed by someone else, or too old. Any other error is a mistake of the receiver, which a retry may outlive. */
function isRefusal(error: unknown): error is ParleyError {
  return error instanceof ParleyError && error.code === "signature_invalid";
}

function respond(
  outcome: Outcome,
  status: number,
  body = "",
  headers: Readonly<Record<string, string>> = {},
): ReceiverResponse {
  const type = body === "" ? {} : { "content-type": "text/plain; charset=utf-8" };
  return { outcome, status, headers: { ...type, ...headers }, body };
}

function printError(error: unknown, { eventId, eventType }: ErrorContext): void {
  const subject = eventId === null ? "a request" : `${eventType} ${eventId}`;
  console.error(`Webhook receiver: ${subject} failed.`, error);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
