// Every way in which Parley says no, in one table: reason → code and status on the wire, and the sentence.
// Keyed by reason, because one code can stand for several (rate_limited is 409 for a budget, 429 for a pace).

const refusals = {
  invalid_request: [400, "invalid_request", "The request is not valid."],
  tenant_required: [400, "tenant_required", "Name the tenant: add ?tenant=<slug>."],
  unauthorized: [401, "unauthorized", "Give a valid API key: Authorization: Bearer svc_live_…"],
  signature_invalid: [401, "signature_invalid", "The webhook's signature does not match."],
  forbidden: [403, "forbidden", "This key may not do that."],
  handshake_refused: [403, "forbidden", "The verify token does not match."],
  route_not_found: [404, "route_not_found", "There is nothing at this path."],
  method_not_allowed: [405, "method_not_allowed", "This path does not take that method."],
  conversation_not_found: [404, "conversation_not_found", "There is no such conversation."],
  account_not_found: [404, "account_not_found", "There is no such connected account."],
  message_not_found: [404, "message_not_found", "There is no such message."],
  endpoint_not_found: [404, "endpoint_not_found", "There is no such webhook endpoint."],
  delivery_not_found: [404, "delivery_not_found", "There is no such delivery of this endpoint."],
  hold_not_found: [404, "hold_not_found", "There is no such held message, or there no longer is."],
  replay_conflict: [409, "replay_conflict", "The delivery cannot be replayed as it stands."],
  replay_expired: [409, "replay_expired", "The event's body is no longer kept."],
  endpoint_limit: [409, "endpoint_limit", "The tenant has as many webhook endpoints as it may: delete one first."],
  window_closed: [409, "window_closed", "The 24 hour reply window is closed; use the human-agent route."],
  missing_actor: [409, "missing_actor", "Name the person who typed the message: actor_id."],
  human_agent_early: [409, "human_agent_unavailable", "The 24 hour reply window is open; use the reply route."],
  human_agent_late: [409, "human_agent_unavailable", "More than 7 days have passed since the person's last message."],
  human_agent_no_inbound: [409, "human_agent_unavailable", "The person has not written yet."],
  rate_limited: [409, "rate_limited", "The send budget is used up; wait as Retry-After says."],
  slowed_down: [409, "rate_limited", "The platform asked for a pause in sending; wait as Retry-After says."],
  idempotency_conflict: [
    409,
    "idempotency_conflict",
    "The Idempotency-Key belongs to another request, or to one under way.",
  ],
  hold_sending: [409, "hold_expired", "The held message is being sent; it goes out only once."],
  hold_sent: [409, "hold_expired", "The held message has been sent; it goes out only once."],
  hold_failed: [409, "hold_expired", "The held message failed and is not tried again; hold it anew."],
  hold_ran_out: [
    409,
    "hold_expired",
    "The time to pass the check ran out and nothing was sent; hold the message anew.",
  ],
  payload_too_large: [413, "payload_too_large", "The request body is too large."],
  too_many_requests: [429, "rate_limited", "Too many requests with this key; wait as Retry-After says."],
  too_many_look_ups: [429, "rate_limited", "Too many addresses were looked up; wait as Retry-After says."],
  too_many_tries: [429, "rate_limited", "Too many tries; wait as Retry-After says."],
  send_failed: [502, "send_failed", "The platform did not take the message."],
  outcome_unknown: [
    502,
    "send_failed",
    "Nobody knows whether the platform took the message; look into the conversation before you send it again.",
  ],
  account_needs_reauth: [
    502,
    "send_failed",
    "The account must be connected anew before it can send; nothing was sent.",
  ],
  account_restricted: [502, "send_failed", "The platform has restricted the account; nothing was sent."],
  internal_error: [500, "internal_error", "Something went wrong on our side; try once more."],
} as const satisfies Record<string, readonly [number, string, string]>;

export type Reason = keyof typeof refusals;

/** A refusal is a value that a flow returns; a fault is thrown. `detail` is for the caller and never echoes secrets. */
export interface Refusal<R extends Reason = Reason> {
  readonly refused: R;
  readonly detail?: string;
  /** Seconds, sent as Retry-After. */
  readonly retryAfter?: number;
}

export function refuse<R extends Reason>(refused: R, detail?: string, retryAfter?: number): Refusal<R> {
  return {
    refused,
    ...(detail === undefined ? {} : { detail }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

export function isRefusal<T>(value: T): value is Extract<T, Refusal> {
  return typeof value === "object" && value !== null && "refused" in value;
}

export function toHttpError(reason: Reason): { status: number; code: string; message: string } {
  const [status, code, message] = refusals[reason];
  return { status, code, message };
}
