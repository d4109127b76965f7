import { type Reason, toHttpError } from "#base/kernel/refusals.ts";

interface ErrorHelp {
  /** When the error occurs. */
  readonly when: string;
  /** What the caller can do. */
  readonly fix: string;
}

const retryAfter = "Wait for the seconds in `Retry-After`, then repeat the request.";

/** Keyed by reason: a new reason does not compile until it has its help. */
const help: Record<Reason, ErrorHelp> = {
  invalid_request: {
    when: "The body, a parameter, a header or a cursor is malformed.",
    fix: "Correct what `message`, and each entry of `errors`, names. The same request fails again.",
  },
  tenant_required: {
    when: "An operator key, or a user with several tenants, was used without `?tenant=`.",
    fix: "Add `?tenant=<slug>` with a tenant of the key or of the user.",
  },
  unauthorized: {
    when: "The `Authorization` header is malformed, or its key is unknown or revoked. Without the header: the session cookie is missing, malformed, sent twice, expired or signed out. Also: the route does not accept this kind of credential.",
    fix: "`detail` and the message name the cause, such as `revoked_key`. Send `Authorization: Bearer <API key>` with an active key. In a browser, sign in again.",
  },
  invalid_token: {
    when: "The token of a sign-in link was used, has expired or is unknown.",
    fix: "Request a new link. A link works once, for 15 minutes.",
  },
  signature_invalid: {
    when: "A platform webhook has no valid `X-Hub-Signature-256`.",
    fix: "Configure the app secret of the platform app in Parley.",
  },
  signed_request_invalid: {
    when: "`signed_request` of a platform's request about a person is not signed with the secret of either app.",
    fix: "Configure the app secrets of the platform apps in Parley.",
  },
  no_membership: {
    when: "A signed-in user who is a member of no tenant called a route that needs one, without `?tenant=`.",
    fix: "Ask an owner of a tenant for an invite, and accept it.",
  },
  tenant_forbidden: {
    when: "`?tenant=` names a tenant that the key or the user has no access to, or that does not exist.",
    fix: "Omit `tenant` for the key of one tenant, or use a key of that tenant. A user needs an invite to the tenant.",
  },
  sign_up_closed: {
    when: "A signed-in user creates a tenant in a deployment whose `parley:signUp` is `closed`.",
    fix: "Ask the operator to create the tenant: `npm run admin -- tenant create`.",
  },
  role_forbidden: {
    when: "The role of the signed-in user in this tenant does not permit the request. Keys have no role.",
    fix: "Ask an owner of the tenant for another role, or to do it.",
  },
  actor_forbidden: {
    when: "A signed-in user sent the `actor_id` of another person.",
    fix: "Send the `actor_id` of `GET /console/me`. Only an API key can name another person.",
  },
  csrf_failed: {
    when: "A write with a session has no `x-csrf-token`, another one than its session, or comes from another origin.",
    fix: "Send the value of the cookie `console_csrf` as `x-csrf-token`, from a page of the console.",
  },
  tenant_suspended: {
    when: "The operator of the deployment suspended the tenant. Its webhooks are still received and delivered.",
    fix: "Ask the operator to resume the tenant. Its keys and its members' sessions then work again.",
  },
  live_key_required: { when: "A test key called a route that needs a live key.", fix: "Use a live key." },
  handshake_refused: {
    when: "The platform confirmed its webhook subscription with another verify token.",
    fix: "Use the same verify token on the platform and in Parley.",
  },
  oauth_state_invalid: {
    when: "A login of a platform ends without its state or its cookie, in the session of another user, for the second time, or after 10 minutes. Also: the pages are read or one is selected more than 10 minutes after the login.",
    fix: "Start the login again: `GET /oauth/instagram/start` or `GET /oauth/messenger/start`, and end it in the same browser.",
  },
  oauth_denied: {
    when: "The person canceled the login on the platform.",
    fix: "Start the login again and grant the permissions.",
  },
  route_not_found: { when: "No route has this path.", fix: "Correct the path. Encode `#` in ids as `%23`." },
  method_not_allowed: {
    when: "The path exists, but not with this method.",
    fix: "Use a method of the `Allow` header.",
  },
  conversation_not_found: {
    when: "The conversation is unknown, malformed, expired, erased or of another tenant.",
    fix: "Use an id from `GET /v1/conversations`. A conversation expires 7 days after its last message.",
  },
  conversation_id_cut: {
    when: "The id in the URL is `CONV`: the client cut it at its first `#`.",
    fix: "Encode each `#` of the id as `%23`.",
  },
  account_not_found: {
    when: "The account is unknown, disconnected or of another tenant.",
    fix: "Use an account from `GET /v1/accounts`, or connect it.",
  },
  message_not_found: {
    when: "The message is unknown, expired or of another tenant, or it is a test message and `include_test` is not set.",
    fix: "Use an id from `GET /v1/messages`. A message expires after 7 days.",
  },
  endpoint_not_found: {
    when: "The webhook endpoint is unknown, deleted or of another tenant.",
    fix: "Use an id from `GET /v1/webhooks`.",
  },
  tenant_not_found: {
    when: "The tenant does not exist, its slug is malformed, or the signed-in user is not a member of it.",
    fix: "Use an id from `GET /console/tenants`.",
  },
  member_not_found: {
    when: "The user id is unknown, malformed, or of a user who is not a member of the tenant.",
    fix: "Use an id from `GET /console/team`.",
  },
  invite_not_found: {
    when: "The invite is unknown, malformed or of another tenant, or it was accepted or declined. One that was revoked cannot be sent again. Also: the person who accepts or declines has no such invite that waits.",
    fix: "Use the id of a pending or expired invite from `GET /console/invites`, or invite the address again. To answer an invite, use an id from `GET /console/me`; a new sign-in finds new invites.",
  },
  delivery_not_found: {
    when: "The endpoint has no such delivery.",
    fix: "Use an id from `GET /v1/webhooks/{id}/deliveries`.",
  },
  hold_not_found: {
    when: "The hold is unknown or of another tenant, its secret is wrong, or it was created over 30 minutes ago.",
    fix: "Use the id and the secret of the response that created the hold.",
  },
  upload_not_found: {
    when: "The upload is unknown, malformed or of another tenant, its day is over, or its conversation was erased. When finishing: no file was posted yet, another one was posted during the checks, the upload was finished before, its time to finish is over (22 hours after the start of the hour in which it was created), or it was created with a key of the other scope, live or test.",
    fix: "Post the file and finish again. Otherwise create a new upload.",
  },
  replay_conflict: {
    when: "A delivery is `delivered`, or `status` includes `delivered`, and `force=true` is missing; or its attempts have not ended.",
    fix: "Add `force=true`, or wait until the attempts have ended.",
  },
  replay_expired: {
    when: "The body of the event is no longer stored.",
    fix: "Read the current state of the message or the account instead.",
  },
  key_not_found: {
    when: "The API key is unknown, malformed or of another tenant, or was revoked 90 days ago or earlier.",
    fix: "Use an id from `GET /v1/keys`.",
  },
  key_limit: {
    when: "The tenant has 50 active API keys.",
    fix: "Revoke a key, then create the new one.",
  },
  account_limit: {
    when: "The account is new, and the tenant has the maximum number of accounts: 500, unless the operator sets another.",
    fix: "Disconnect an account, or ask the operator to raise `parley:accountsPerTenant`.",
  },
  account_in_use: {
    when: "The account is connected to another tenant, or was until less than two minutes ago.",
    fix: "Disconnect the account in the other tenant, wait two minutes, and connect it again.",
  },
  workspace_limit: {
    when: "The person owns the maximum number of tenants: 5, unless the operator sets another. Only creating a tenant is refused.",
    fix: "Leave a tenant that has another owner, or ask the operator to raise `parley:tenantsPerOwner`.",
  },
  workspace_day_limit: {
    when: "The person created the maximum number of tenants since midnight UTC: 2, unless the operator sets another.",
    fix: "Wait until `Retry-After`, the next midnight UTC.",
  },
  tenant_exists: {
    when: "A tenant has this id, or had it in the last 30 days.",
    fix: "Use another id.",
  },
  invite_exists: {
    when: "The address has a pending invite in the tenant, or its user is a member.",
    fix: "Send the pending invite again, or change the member's role.",
  },
  last_owner: {
    when: "The tenant's last owner would leave, be removed or get another role.",
    fix: "Make another member an owner first.",
  },
  endpoint_limit: {
    when: "The tenant has the maximum number of webhook endpoints.",
    fix: "Delete an endpoint, then create the new one.",
  },
  window_closed: {
    when: "The participant's last message is from 24 hours to 7 days old.",
    fix: "Use `POST /v1/messages/human-agent`, or wait for the participant.",
  },
  window_closed_late: {
    when: "The participant's last message is 7 days old or older.",
    fix: "Nothing can be sent until the participant writes again.",
  },
  window_closed_no_inbound: {
    when: "The participant has never written in this conversation.",
    fix: "Nothing can be sent until the participant writes.",
  },
  missing_actor: {
    when: "A human-agent message has no `actor_id`.",
    fix: "Set `actor_id` to the person who typed the message.",
  },
  human_agent_early: {
    when: "The participant's last message is less than 24 hours old.",
    fix: "Use `POST /v1/messages/reply`.",
  },
  human_agent_late: {
    when: "The participant's last message is 7 days old or older.",
    fix: "Nothing can be sent until the participant writes again.",
  },
  human_agent_no_inbound: {
    when: "The participant has never written in this conversation.",
    fix: "Nothing can be sent until the participant writes.",
  },
  rate_limited: { when: "A send limit is reached. `detail` names the time at which it ends.", fix: retryAfter },
  slowed_down: {
    when: "The platform asked for a pause in sending. `detail` names the time at which it ends.",
    fix: retryAfter,
  },
  idempotency_conflict: {
    when: "The key was used with another body (`another_request`), or its first request is in progress (`in_flight`).",
    fix: "Use a new key for a new message. For `in_flight`, repeat the request later.",
  },
  hold_sending: {
    when: "The held message is being sent.",
    fix: "Wait for its end: `GET /v1/messages/holds/{hold_id}`.",
  },
  hold_sent: { when: "The held message was sent.", fix: "Nothing to do. A held message is sent once." },
  hold_failed: {
    when: "The held message could not be sent.",
    fix: "Correct the cause that `error.hold.error` names, then create a new hold.",
  },
  hold_expired: { when: "No one passed the check in time.", fix: "Create a new hold." },
  payload_too_large: {
    when: "The body exceeds the limit of the route.",
    fix: "Reduce the body to the limit in `detail`.",
  },
  attachment_too_large: {
    when: "A file is larger than the limit of its type: as declared, or as posted.",
    fix: "Reduce the file to the limit in `detail`, then create a new upload.",
  },
  unsupported_media_type: {
    when: "The type of a file is not accepted for the account, disagrees with `type` or with the file's first bytes, or the file is a program.",
    fix: "Convert the file, or declare the type that it has, then create a new upload.",
  },
  too_many_requests: { when: "The key or the user exceeded its requests per minute.", fix: retryAfter },
  dns_lookup_limit: {
    when: "The tenant created or updated too many webhook URLs with a host name in this minute.",
    fix: retryAfter,
  },
  verification_limit: { when: "The check page made too many attempts for a hold or from an address.", fix: retryAfter },
  invite_limit: {
    when: "The tenant has the maximum number of pending invites: 50, unless the operator sets another. The invite of an owner whom the operator named does not count.",
    fix: "Revoke an invite, or wait until one is accepted or expires.",
  },
  invite_mail_limit: {
    when: "The tenant, or the person in all their tenants, has sent the maximum number of invite mails since midnight UTC: 100 each, unless the operator sets another.",
    fix: "Wait until `Retry-After`, the next midnight UTC.",
  },
  sign_in_limit: {
    when: "In 15 minutes, 5 sign-in links and invites were requested for an address, or 20 sign-in links from a network.",
    fix: retryAfter,
  },
  send_failed: {
    when: "The platform refused the message. `detail` has its reason.",
    fix: "Resolve the reason before you send again.",
  },
  outcome_unknown: {
    when: "The connection to the platform failed before its response arrived (`outcome_unknown`).",
    fix: "Check the conversation first: the message may have been sent.",
  },
  not_sent_in_time: {
    when: "Parley could not call the platform in time (`not_sent_in_time`).",
    fix: "Send the message again.",
  },
  account_needs_reauth: {
    when: "The access of the account has ended (`needs_reauth`).",
    fix: "Connect the account again.",
  },
  account_restricted: {
    when: "The platform has restricted the account (`restricted`).",
    fix: "If the response has `Retry-After`, send again after that time. Otherwise resolve the restriction on the platform.",
  },
  restoring: {
    when: "The operator restores the table of the deployment to an earlier time, and has the platform asked what was sent since.",
    fix: `${retryAfter} With the same \`Idempotency-Key\`, a message that was sent before the restore is not sent again.`,
  },
  upload_refused: {
    when: "An upload failed: the platform refused the file. `detail` has its reason.",
    fix: "Resolve the reason, then upload the file again.",
  },
  upload_unanswered: {
    when: "An upload failed: the platform did not answer two calls, or not clearly (`outcome_unknown`).",
    fix: "Upload the file again. Nothing was sent.",
  },
  oauth_failed: {
    when: "The platform refused the login or its account, did not answer, or answered in an unknown form. Also: the operator has not set the id of the app. `detail` has the reason.",
    fix: "Start the login again. If it fails again, correct what `detail` names.",
  },
  internal_error: {
    when: "Parley failed.",
    fix: "Retry a read once. Check the result of a write first. Report the `x-correlation-id` if it persists.",
  },
};

/** `docs/errors.md`: every code with its statuses, causes and remedies. */
export function errorsPage(): string {
  const rows = (Object.keys(help) as Reason[])
    .map((reason) => ({ ...toHttpError(reason), ...help[reason] }))
    .sort((a, b) => a.status - b.status)
    .map(({ status, code, message, when, fix }) => {
      const messageHtml = message.replaceAll("<", "&lt;");
      return `| ${status} | \`${code}\` | ${messageHtml} | ${when} | ${fix} |`;
    });
  return `${HEAD}\n${rows.join("\n")}\n`;
}

const HEAD = `<!-- Generated by \`npm run openapi\` from shared/base/kernel/refusals.ts and bin/docs/errors.ts. Do not edit. -->

# Errors

A failed request returns \`{ "ok": false, "error": { "code", "message", "detail" } }\`. Branch on \`code\` and the
status, never on \`message\`. \`detail\` is an empty string when there is nothing to add. Treat every 429 as
\`rate_limited\`: the gateway's own 429 has no body.

Each code has an anchor in the documentation of a deployment, such as \`/docs/errors#window_closed\`, with the operations
that return it. \`docs_url\` of an error is the address of its own.

| Status | Code | Message | When | What to do |
|---|---|---|---|---|`;
