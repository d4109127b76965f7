// All refusals: reason → status, code and message. The table is keyed by reason, because one code can have several
// (`rate_limited` is 409 for a send limit and 429 for a request limit). `bin/docs/errors.ts` documents each reason.

const refusals = {
  // Stands in for the problems of the request, which every refusal of this reason names.
  invalid_request: [400, "invalid_request", "The message names the invalid field and its problem."],
  tenant_required: [400, "tenant_required", "Missing tenant. Add ?tenant=<slug>."],
  unauthorized: [
    401,
    "unauthorized",
    "Missing or invalid API key or session. Send Authorization: Bearer <API key>, or sign in again.",
  ],
  invalid_token: [401, "invalid_token", "The sign-in link was used, has expired or is unknown. Request a new link."],
  signature_invalid: [401, "signature_invalid", "Invalid webhook signature. Sign the raw body with the app secret."],
  signed_request_invalid: [
    401,
    "signature_invalid",
    "Invalid signature of signed_request. Sign it with the secret of the platform app.",
  ],
  no_membership: [403, "forbidden", "You belong to no workspace. Ask an owner of a workspace for an invite."],
  tenant_forbidden: [
    403,
    "forbidden",
    "No access to the tenant in ?tenant=. Use a key of that tenant, or a tenant of this key or of this user.",
  ],
  sign_up_closed: [403, "forbidden", "Sign-up is closed in this deployment. Ask its operator to create the tenant."],
  role_forbidden: [403, "forbidden", "Your role in this tenant does not permit this. Ask an owner for another role."],
  actor_forbidden: [
    403,
    "forbidden",
    "A signed-in person acts only in their own name. Send your own actor id as actor_id.",
  ],
  csrf_failed: [
    403,
    "csrf_failed",
    "Missing or wrong CSRF token, or another origin. Send the value of the cookie console_csrf as x-csrf-token.",
  ],
  tenant_suspended: [403, "forbidden", "This tenant is suspended. Ask the operator of this deployment to resume it."],
  live_key_required: [403, "forbidden", "A test key is not allowed to do this. Use a live key."],
  handshake_refused: [403, "forbidden", "Verify token mismatch. Use the token that is configured here."],
  oauth_state_invalid: [
    400,
    "oauth_state_invalid",
    "The login was not started in this browser by this user, has expired or was used. Start it again.",
  ],
  oauth_denied: [
    400,
    "oauth_denied",
    "The login was canceled on the platform. Start it again and grant the permissions.",
  ],
  route_not_found: [404, "route_not_found", "No route matches this path."],
  method_not_allowed: [405, "method_not_allowed", "Method not allowed for this path."],
  conversation_not_found: [404, "conversation_not_found", "Conversation not found."],
  conversation_id_cut: [
    404,
    "conversation_not_found",
    "Conversation not found. The id ends before its first #. Encode each # in it as %23.",
  ],
  account_not_found: [404, "account_not_found", "Connected account not found."],
  message_not_found: [404, "message_not_found", "Message not found."],
  endpoint_not_found: [404, "endpoint_not_found", "Webhook endpoint not found."],
  key_not_found: [404, "key_not_found", "API key not found."],
  tenant_not_found: [404, "tenant_not_found", "Tenant not found."],
  member_not_found: [404, "member_not_found", "Member not found in this tenant."],
  invite_not_found: [
    404,
    "invite_not_found",
    "Pending invite not found. A revoked, declined or accepted invite is final.",
  ],
  delivery_not_found: [404, "delivery_not_found", "Delivery not found for this endpoint."],
  hold_not_found: [404, "hold_not_found", "Held message not found or expired."],
  upload_not_found: [404, "upload_not_found", "Upload not found, expired or finished, or no file was posted yet."],
  replay_conflict: [
    409,
    "replay_conflict",
    "Replay refused. Add force=true for delivered events, or wait until the attempts have ended.",
  ],
  replay_expired: [
    409,
    "replay_expired",
    "The event is no longer stored and cannot be replayed: its 7 days are over, or its message was unsent or erased.",
  ],
  endpoint_limit: [409, "endpoint_limit", "Webhook endpoint limit reached. Delete an endpoint first."],
  key_limit: [409, "key_limit", "API key limit reached. Revoke a key first."],
  account_limit: [409, "account_limit", "Account limit reached. Disconnect an account first."],
  account_in_use: [
    409,
    "account_in_use",
    "The account is connected to another tenant. Disconnect it there, wait two minutes, and connect it again.",
  ],
  tenant_exists: [409, "tenant_exists", "The tenant's id is taken. Use another one."],
  workspace_limit: [
    409,
    "workspace_limit",
    "You own the maximum number of workspaces. Leave one that has another owner, then create the new one.",
  ],
  workspace_day_limit: [
    409,
    "workspace_limit",
    "You created the maximum number of workspaces of a day. Retry after the time in Retry-After.",
  ],
  invite_exists: [
    409,
    "invite_exists",
    "The address has a pending invite in this tenant, or is a member of it. Send that invite again, or revoke it.",
  ],
  invite_limit: [
    409,
    "invite_limit",
    "The workspace has the maximum number of pending invites. Revoke one, or wait until one is accepted or expires.",
  ],
  last_owner: [409, "last_owner", "A tenant keeps at least one owner. Make another member an owner first."],
  window_closed: [
    409,
    "window_closed",
    "The 24-hour reply window is closed. A named person can still send the message: use the human-agent route.",
  ],
  window_closed_late: [
    409,
    "window_closed",
    "The 24-hour reply window and the 7-day human-agent window are closed. Wait for the participant's next message.",
  ],
  window_closed_no_inbound: [
    409,
    "window_closed",
    "The participant has not sent a message yet, so no window is open. Wait for the first one.",
  ],
  missing_actor: [409, "missing_actor", "Missing actor_id. Name the person who typed the message."],
  human_agent_early: [409, "human_agent_unavailable", "The 24-hour reply window is open. Use the reply route."],
  human_agent_late: [
    409,
    "human_agent_unavailable",
    "The 7-day human-agent window is closed. Wait for the participant's next message.",
  ],
  human_agent_no_inbound: [
    409,
    "human_agent_unavailable",
    "The participant has not sent a message yet. Wait for the first one.",
  ],
  rate_limited: [409, "rate_limited", "Send limit reached. Retry after the time in Retry-After."],
  slowed_down: [409, "rate_limited", "The platform asked for a pause in sending. Retry after the time in Retry-After."],
  idempotency_conflict: [
    409,
    "idempotency_conflict",
    "The Idempotency-Key belongs to another request or to one in progress. Use a new key, or retry later.",
  ],
  hold_sending: [409, "hold_expired", "The held message is being sent. It is sent only once."],
  hold_sent: [409, "hold_expired", "The held message has been sent. It is sent only once."],
  hold_failed: [409, "hold_expired", "The held message failed and is not retried. Create a new hold."],
  hold_expired: [409, "hold_expired", "The check was not passed in time, so nothing was sent. Create a new hold."],
  payload_too_large: [413, "payload_too_large", "Request body too large. Reduce it to the limit in detail."],
  attachment_too_large: [413, "attachment_too_large", "File too large. Reduce it to the limit in detail."],
  unsupported_media_type: [
    415,
    "unsupported_media_type",
    "The file's type is not accepted for this account. See detail for the reason.",
  ],
  too_many_requests: [429, "rate_limited", "Request limit reached. Retry after the time in Retry-After."],
  dns_lookup_limit: [429, "rate_limited", "DNS lookup limit reached. Retry after the time in Retry-After."],
  // The OpenAPI document publishes it as the response `VerificationLimit`, so it keeps its name.
  verification_limit: [429, "rate_limited", "Too many verification attempts. Retry after the time in Retry-After."],
  sign_in_limit: [
    429,
    "rate_limited",
    "Too many sign-in links or invites were requested. Retry after the time in Retry-After.",
  ],
  invite_mail_limit: [
    429,
    "rate_limited",
    "The workspace or you have sent the maximum number of invite mails of a day. Retry after the time in Retry-After.",
  ],
  send_failed: [502, "send_failed", "The platform refused the message. See detail for the reason."],
  outcome_unknown: [
    502,
    "send_failed",
    "The platform's response was lost, so the message may have been sent. Check the conversation before retrying.",
  ],
  not_sent_in_time: [502, "send_failed", "Sending took too long, so nothing was sent. Send the message again."],
  account_needs_reauth: [
    502,
    "send_failed",
    "The account's access has ended, so nothing was sent. Reconnect the account.",
  ],
  account_restricted: [
    502,
    "send_failed",
    "The platform has restricted the account, so nothing was sent. Resolve the restriction on the platform, or send again after the time in Retry-After.",
  ],
  upload_refused: [502, "send_failed", "The platform refused the file. See detail for the reason."],
  upload_unanswered: [502, "send_failed", "The platform did not confirm the file. Upload it again."],
  oauth_failed: [
    502,
    "oauth_failed",
    "The platform login failed, or the account could not be connected. See detail for the reason.",
  ],
  restoring: [
    503,
    "send_failed",
    "The deployment is being restored, so nothing was sent. Send the message again after the time in Retry-After.",
  ],
  internal_error: [500, "internal_error", "Internal error. Retry once."],
} as const satisfies Record<string, readonly [number, string, string]>;

export type Reason = keyof typeof refusals;

/** What is wrong with a field of a request. Both texts are public and never contain what the caller sent. */
export interface FieldProblem {
  /** A path such as `attachments[0].url`. */
  readonly field: string;
  /** The end of a sentence about the field: `must be a string`. */
  readonly problem: string;
}

/** A refusal is returned as a value; a fault is thrown. `detail` is public and never contains secrets. */
export interface Refusal<R extends Reason = Reason> {
  readonly refused: R;
  readonly detail?: string;
  /** Replaces the message of the reason: for one of its causes, or with what would be right. Public, as `detail` is. */
  readonly message?: string;
  /** Of an invalid request. Never empty. */
  readonly errors?: readonly FieldProblem[];
  /** Seconds. Sent as Retry-After. */
  readonly retryAfter?: number;
  /** Further fields of the error. The route declares them as `errorFields`. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export function refuse<R extends Reason>(refused: R, detail?: string, retryAfter?: number): Refusal<R> {
  return {
    refused,
    ...(detail === undefined ? {} : { detail }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

/**
 * Refuses a request because of one field.
 * @param detail default: the field and its problem
 */
export function invalidField(
  field: string,
  problem: string,
  detail = `${field}: ${problem}`,
): Refusal<"invalid_request"> {
  return { refused: "invalid_request", detail, errors: [{ field, problem }] };
}

/** Refuses a request because of its fields. @param problems at least one */
export function invalidFields(problems: readonly FieldProblem[]): Refusal<"invalid_request"> {
  // The detail has paths in the form of the first release: `attachments.0.url`.
  const details = problems.map(({ field, problem }) => `${field.replace(/\[(\d+)\]/g, ".$1")}: ${problem}`);
  return { refused: "invalid_request", detail: details.join("; "), errors: problems };
}

/** The message of a refusal: its fields' problems as sentences, its own, or that of its reason. */
export function refusalMessage({ refused, message, errors = [] }: Refusal): string {
  return (
    errors.map(({ field, problem }) => `${field} ${problem}.`).join(" ") || (message ?? toHttpError(refused).message)
  );
}

export function isRefusal<T>(value: T): value is Extract<T, Refusal> {
  return typeof value === "object" && value !== null && "refused" in value;
}

export function toHttpError(reason: Reason): { status: number; code: string; message: string } {
  const [status, code, message] = refusals[reason];
  return { status, code, message };
}
