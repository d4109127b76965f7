/**
 * The lines that Parley writes, a closed union: counts, ids of ours, classes and codes. There is no field for a text,
 * a token, a URL or a body, so none can slip in.
 */
export type LogLine =
  | {
      readonly event: "request_failed";
      readonly operation: string;
      readonly correlation_id: string;
      readonly error: string;
    }
  | {
      readonly event: "batch";
      readonly worker: string;
      readonly records: number;
      readonly done: number;
      readonly dropped: number;
      readonly retried: number;
      readonly duration_ms: number;
    }
  | { readonly event: "record_dropped"; readonly worker: string; readonly reason: string }
  | {
      readonly event: "record_failed";
      readonly worker: string;
      /** The queue's id of the message: its dead letter has the same. */
      readonly message_id: string;
      readonly error: string;
      readonly receives: number;
    }
  | { readonly event: "unknown_account"; readonly platform: string; readonly updates: number }
  | {
      readonly event: "attempt";
      readonly endpoint: string;
      readonly delivery: string;
      readonly status: string;
      readonly attempt: number;
      readonly response_status: number | null;
      readonly error: string | null;
      readonly duration_ms: number | null;
    }
  | { readonly event: "counting_failed"; readonly error: string; readonly messages: number }
  | { readonly event: "watching_failed"; readonly endpoint: string; readonly error: string }
  | { readonly event: "place_left_taken"; readonly endpoint: string; readonly error: string }
  | { readonly event: "endpoint_failing"; readonly endpoint: string; readonly action: "warned" | "paused" }
  | { readonly event: "mail_not_sent"; readonly reason: string }
  | {
      readonly event: "dead_letter";
      /** By which the commands know it. */
      readonly id: string;
      readonly queue: string;
      readonly message_id: string;
      readonly receives: number;
    }
  | { readonly event: "swept"; readonly handed_on: number; readonly up_to: number }
  | { readonly event: "sends_settled"; readonly sends: number }
  | { readonly event: "send.settle_deferred"; readonly error: string }
  | { readonly event: "send"; readonly outcome: string; readonly platform: string; readonly code: number | null }
  /** The result for an idempotency key was not stored. A repetition looks it up instead. */
  | { readonly event: "idempotency.save_failed"; readonly error: string }
  /** A held message was not sent because of a fault of ours. */
  | { readonly event: "hold.send_failed"; readonly error: string }
  /** A held message's send failed after the check page got its response. */
  | { readonly event: "hold.late_send_failed"; readonly error: string }
  | { readonly event: "profile"; readonly outcome: string; readonly platform: string }
  | { readonly event: "profiles_not_requested"; readonly people: number; readonly error: string }
  | { readonly event: "policy"; readonly action: string; readonly platform: string }
  | {
      readonly event: "erasure_pass";
      /** The beginning of the hash of the conversation's id. */
      readonly erasure: string;
      readonly pass: "first" | "later";
      readonly rows: number;
      readonly deliveries: number;
    }
  | { readonly event: "intake_refused"; readonly reason: string };

export type Log = (line: LogLine) => void;

/** One JSON line to standard output, where Lambda takes it. */
export function consoleLog(line: LogLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
