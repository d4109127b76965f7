import type { Metrics } from "../config/metrics.ts";
import type { AttemptStage } from "../kernel/attempt-stage.ts";
import { currentTraceId } from "../kernel/trace.ts";
import { embeddedMetrics } from "./metrics.ts";

/**
 * Every log line that Parley writes, as a closed union of counts, ids, classes and codes. No line has a field for a
 * text, a token, a URL or a body, so none can leak. Names are `subject.past_event`.
 */
export type LogLine =
  | {
      readonly event: "request.failed";
      readonly operation: string;
      readonly correlation_id: string;
      readonly error: string;
    }
  | {
      /** One invocation of a worker. A schedule's worker has no records. */
      readonly event: "worker.completed";
      readonly worker: string;
      readonly duration_ms: number;
      readonly records?: number;
      readonly done?: number;
      readonly dropped?: number;
      readonly retried?: number;
    }
  | { readonly event: "worker.failed"; readonly worker: string; readonly error: string }
  | {
      readonly event: "record.dropped";
      readonly worker: string;
      readonly reason: string;
      readonly trace_id?: string | undefined;
    }
  | {
      readonly event: "record.failed";
      readonly worker: string;
      /** The SQS message id. The dead letter has the same one. */
      readonly message_id: string;
      readonly error: string;
      readonly receives: number;
      /** What failed of an attempt of a delivery. Absent where something else failed. */
      readonly stage?: AttemptStage | undefined;
      /** Of a message that this release cannot read: its version, or null when it has none. */
      readonly version?: number | null;
      readonly trace_id?: string | undefined;
    }
  | {
      /**
       * A message that waits for the end of an outage of AWS or a platform, or for the claim that could not be given
       * back.
       */
      readonly event: "record.postponed";
      readonly error: string;
      readonly receives: number;
      readonly delay_ms: number;
      /** As in `record.failed`. */
      readonly stage?: AttemptStage | undefined;
      /** Since its first send. The deliver worker does not know it. */
      readonly age_ms?: number;
    }
  | { readonly event: "record.postpone_failed"; readonly error: string; readonly receives: number }
  | { readonly event: "raw_copies.store_failed"; readonly error: string; readonly webhooks: number }
  | {
      /**
       * A webhook that is queued again in parts: it has too many updates, or some parts failed and the others did not.
       */
      readonly event: "webhook.split";
      /** The SQS message id of the webhook or part. */
      readonly message_id: string;
      readonly parts: number;
      /** How many of them failed here, and the class of the first one's error. */
      readonly failed: number;
      readonly error: string | null;
      readonly trace_id?: string | undefined;
    }
  | { readonly event: "account.unknown"; readonly platform: string; readonly updates: number }
  | {
      /** One page of the threads of an account, read for messages that no webhook brought. */
      readonly event: "gap.read";
      readonly tenant: string;
      readonly account: string;
      readonly threads: number;
      /** How many messages were missing, and are queued. */
      readonly messages: number;
    }
  | {
      /** A check found threads that are newer at the platform than what is stored, and queued a backfill. */
      readonly event: "threads.ahead";
      readonly tenant: string;
      readonly account: string;
      readonly threads: number;
    }
  | {
      readonly event: "gap.refused" | "threads.refused";
      readonly tenant: string;
      readonly account: string;
      readonly code: number | null;
      readonly subcode: number | null;
    }
  | {
      /**
       * One attempt of a delivery, an attempt whose worker died, or a status that the delivery got without a call of
       * its endpoint.
       */
      readonly event: "delivery.attempted" | "delivery.abandoned" | "delivery.not_attempted";
      readonly tenant: string;
      readonly endpoint: string;
      readonly event_id: string;
      readonly event_type: string;
      readonly delivery: string;
      readonly attempt: number;
      readonly attempts_max: number;
      /** The delivery's status after the attempt; `superseded` when another worker's result stands. */
      readonly verdict: string;
      readonly response_status: number | null;
      readonly error: string | null;
      readonly duration_ms: number | null;
      /** ISO 8601. Null when there is no retry, or when the delivery waits for its endpoint. */
      readonly next_retry_at: string | null;
      /** The endpoint's circuit breaker before the attempt. */
      readonly breaker: string | null;
      readonly trace_id: string | null;
    }
  | {
      /** An attempt without an answer that is made again on the slow deliveries queue. It does not count. */
      readonly event: "delivery.handed_over";
      readonly tenant: string;
      readonly endpoint: string;
      readonly delivery: string;
      readonly attempt: number;
      readonly unanswered_ms: number;
    }
  | { readonly event: "counters.save_failed"; readonly error: string; readonly messages: number }
  | { readonly event: "breaker.save_failed"; readonly endpoint: string; readonly error: string }
  | {
      /** Failed records are received again only after the queue's visibility timeout. */
      readonly event: "redelivery.schedule_failed";
      readonly queue: string;
      readonly records: number;
      readonly error: string;
    }
  | { readonly event: "slot.release_failed"; readonly endpoint: string; readonly error: string }
  | { readonly event: "endpoint.failing"; readonly endpoint: string; readonly action: "warned" | "paused" }
  /** A sign-in that did not accept the pending invites of its address. The next one does. */
  | { readonly event: "invites.claim_failed"; readonly error: string }
  | { readonly event: "mail.not_sent"; readonly reason: string }
  | {
      readonly event: "dead_letter.quarantined";
      /** The id that `npm run admin -- dlq` uses. */
      readonly id: string;
      readonly queue: string;
      readonly message_id: string;
      readonly receives: number;
    }
  /** A dead letter that was not stored: the retention of its webhook is over. */
  | { readonly event: "dead_letter.expired"; readonly queue: string; readonly message_id: string }
  /** A dead letter that was not stored: its tenant is being deleted, or was. */
  | { readonly event: "dead_letter.of_deleted_tenant"; readonly queue: string; readonly message_id: string }
  /** What a run of the sweep could not take from a dead-letter queue. At least as many messages are in it. */
  | { readonly event: "dead_letters.waiting"; readonly queue: string; readonly messages: number }
  /** Messages of background work that their worker could receive, at one look. */
  | { readonly event: "queue.waiting"; readonly queue: string; readonly messages: number }
  /** The key of the tokens and signing secrets is disabled, or its deletion is scheduled. */
  | { readonly event: "key.unusable"; readonly state: string }
  /** The hourly purge. `complete` is false when the time was over: the next run continues. */
  | { readonly event: "raw_webhooks.purged"; readonly files: number; readonly complete: boolean }
  | { readonly event: "uploads.purged"; readonly files: number; readonly complete: boolean }
  | { readonly event: "dead_letters.purged"; readonly dead_letters: number; readonly complete: boolean }
  | { readonly event: "sweep.completed"; readonly enqueued: number; readonly swept_until: string }
  /** Work that only a later release knows is due again in half an hour. */
  | { readonly event: "due_items.deferred"; readonly items: number }
  | {
      /** The daily search for deliveries that nothing will attempt. */
      readonly event: "deliveries.checked";
      /** Entries read from the index of undelivered events. */
      readonly examined: number;
      readonly waiting: number;
      readonly rescheduled: number;
      /** False when the time was over: the next run continues. */
      readonly complete: boolean;
    }
  | { readonly event: "deliveries.rescheduled"; readonly deliveries: number }
  | { readonly event: "sends.settled"; readonly sends: number }
  | { readonly event: "send.settle_deferred"; readonly error: string }
  | {
      readonly event: "send.completed";
      readonly outcome: string;
      readonly platform: string;
      readonly code: number | null;
    }
  | {
      /** One call that hands an upload over to its platform. */
      readonly event: "upload.attempted";
      readonly outcome: string;
      readonly platform: string;
      readonly code: number | null;
    }
  /** The response that a request with the same idempotency key would have got. */
  | { readonly event: "idempotency.save_failed"; readonly error: string }
  /** A held message that was not sent because of an internal error. */
  | { readonly event: "hold.send_failed"; readonly error: string }
  /** A held message that was sent or refused, and whose hold still says `sending`. */
  | { readonly event: "hold.settle_failed"; readonly error: string }
  /** A file of an upload that is no longer needed, and that the purge deletes. */
  | { readonly event: "upload.remove_failed"; readonly error: string }
  | { readonly event: "profile.fetched"; readonly outcome: string; readonly platform: string }
  | { readonly event: "profiles.request_failed"; readonly people: number; readonly error: string }
  | { readonly event: "account.policy_applied"; readonly action: string; readonly platform: string }
  /** The hourly run that enqueues the checks that are due. */
  | { readonly event: "account_checks.queued"; readonly checks: number }
  | { readonly event: "data_deletions.continued"; readonly accounts: number }
  /** One check. `outcome`: `later` for one that the platform did not answer. */
  | {
      readonly event: "account.checked";
      readonly tenant: string;
      /** The account key, as in the lines below. */
      readonly account: string;
      readonly status: string;
      readonly outcome: string;
    }
  | { readonly event: "account.token_refreshed"; readonly tenant: string; readonly account: string }
  /** The subscription to the account's webhooks was missing or incomplete. */
  | {
      readonly event: "account.resubscribed";
      readonly tenant: string;
      readonly account: string;
      readonly connection: string;
    }
  | {
      readonly event: "account.subscription_refused" | "account.inspection_refused";
      readonly tenant: string;
      readonly account: string;
      readonly code: number | null;
    }
  | {
      readonly event: "erasure.pass_completed";
      /** The beginning of the hash of the conversation's id. */
      readonly erasure: string;
      readonly pass: "first" | "later";
      readonly rows: number;
      readonly deliveries: number;
    }
  | {
      /** The platform's refusal has a code. Without one, the outcome is unknown. */
      readonly event: "account.subscribe_failed" | "account.unsubscribe_failed";
      readonly tenant: string;
      /** The account key. */
      readonly account: string;
      readonly code?: number | null;
      readonly subcode?: number | null;
      readonly error?: string;
    }
  /** A change that is stored and that the tenant's sockets do not get. */
  | { readonly event: "realtime.request_failed"; readonly error: string }
  /** Events that waited too long for the sockets, such as in an outage of the management API, and are not pushed. */
  | { readonly event: "realtime.dropped"; readonly tenant: string; readonly events: number }
  /** A frame over the gateway's limit. */
  | { readonly event: "realtime.frame_too_large"; readonly tenant: string; readonly bytes: number }
  | { readonly event: "intake.refused"; readonly reason: string }
  /** Written in the embedded metric format, without the other fields of a line. */
  | { readonly event: "metrics.counted"; readonly metrics: Metrics };

export type Level = "info" | "warn" | "error";

/** `error`: an operator should look. `warn`: something failed that Parley repeats or does without. */
export const levels: Readonly<Record<LogLine["event"], Level>> = {
  "request.failed": "error",
  "worker.completed": "info",
  "worker.failed": "error",
  "record.dropped": "info",
  "record.failed": "error",
  "webhook.split": "info",
  "account.unknown": "warn",
  "gap.read": "info",
  "gap.refused": "warn",
  "threads.ahead": "warn",
  "threads.refused": "warn",
  "record.postponed": "error",
  "record.postpone_failed": "error",
  "raw_copies.store_failed": "error",
  "delivery.attempted": "info",
  "delivery.not_attempted": "info",
  "delivery.abandoned": "warn",
  "delivery.handed_over": "info",
  "counters.save_failed": "warn",
  "breaker.save_failed": "warn",
  "slot.release_failed": "warn",
  "redelivery.schedule_failed": "warn",
  "endpoint.failing": "warn",
  "invites.claim_failed": "warn",
  "mail.not_sent": "warn",
  "dead_letter.quarantined": "error",
  "dead_letter.expired": "error",
  "dead_letter.of_deleted_tenant": "info",
  "dead_letters.waiting": "error",
  "queue.waiting": "warn",
  "key.unusable": "error",
  "raw_webhooks.purged": "info",
  "uploads.purged": "info",
  "dead_letters.purged": "info",
  "sweep.completed": "info",
  "due_items.deferred": "error",
  "deliveries.checked": "info",
  "deliveries.rescheduled": "error",
  "sends.settled": "info",
  "send.settle_deferred": "warn",
  "send.completed": "info",
  "upload.attempted": "info",
  "idempotency.save_failed": "warn",
  "hold.send_failed": "error",
  "hold.settle_failed": "error",
  "upload.remove_failed": "warn",
  "profile.fetched": "info",
  "profiles.request_failed": "warn",
  "account.policy_applied": "info",
  "account.subscribe_failed": "warn",
  "account.unsubscribe_failed": "warn",
  "account_checks.queued": "info",
  "data_deletions.continued": "info",
  "account.checked": "info",
  "account.token_refreshed": "info",
  "account.resubscribed": "warn",
  "account.subscription_refused": "warn",
  "account.inspection_refused": "warn",
  "erasure.pass_completed": "info",
  "realtime.request_failed": "warn",
  "realtime.dropped": "error",
  "realtime.frame_too_large": "warn",
  "intake.refused": "warn",
  "metrics.counted": "info",
};

export type Log = (line: LogLine) => void;

/** Writes a line of JSON to standard output. */
export function consoleLog(line: LogLine): void {
  process.stdout.write(`${toLogText(line)}\n`);
}

/** The JSON of a line with its level and the trace id of the work that writes it. */
export function toLogText(line: LogLine): string {
  return JSON.stringify({ level: levels[line.event], ...logFields(line) });
}

function logFields(line: LogLine): object {
  if (line.event === "metrics.counted") return { event: line.event, ...embeddedMetrics(line.metrics) };
  const traceId = currentTraceId();
  return traceId === null ? line : { ...line, trace_id: traceId };
}
