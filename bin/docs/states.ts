import {
  AUTO_PAUSE_AFTER,
  FAILURES_TO_OPEN,
  HOLD_LIFETIME,
  HOLD_SENDING_MAX,
  PROBE_OVERDUE,
  PROBE_WAIT_MAX,
  UPLOAD_PROCESSING_MAX,
} from "#base/kernel/limits.ts";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import { type AccountTrigger, accountTransitions } from "#features/accounts/rules/account-health.ts";
import { type BreakerTrigger, breakerTransitions } from "#features/delivery/rules/breaker.ts";
import { type DeliveryTrigger, deliveryTransitions } from "#features/delivery/rules/deliveries.ts";
import { type HoldTrigger, holdTransitions } from "#features/holds/rules/holds.ts";
import { type UploadTrigger, uploadTransitions } from "#features/uploads/rules/uploads.ts";
import { type EndpointTrigger, endpointTransitions } from "#features/webhooks/rules/endpoints.ts";
import { stateDiagram, type TriggerTexts } from "./state-diagram.ts";

const deliveryTexts: TriggerTexts<DeliveryTrigger> = {
  first_attempt: {
    label: "first attempt",
    meaning:
      "The first attempt runs straight from its event, and its outcome creates the row. Where no call is made now, the row is created all the same.",
  },
  await: { label: "scheduled", meaning: "The row is created before its first attempt, as for a test event." },
  claim: { label: "claim", meaning: "A worker claims the attempt with a lease." },
  continue: {
    label: "continue",
    meaning:
      "The table failed before the call, so the claim could not be given back. A new message continues the attempt.",
  },
  settle: { label: "settle", meaning: "The worker that holds the claim records the outcome." },
  event_gone: {
    label: "event gone",
    meaning: "The event came again without a body: it was unsent or erased, or is past its retention.",
  },
  release: {
    label: "release",
    meaning:
      "The receiver did not answer soon, or the table failed before the call. The attempt does not count and is made again, after a slow answer from the queue for slow endpoints.",
  },
  abandon: { label: "dead letter", meaning: "The queue message of the attempt could not be processed." },
  replay: { label: "replay", meaning: "A replay starts the delivery again with all its attempts." },
  forced_replay: { label: "forced replay", meaning: "A replay with `force=true`, which also accepts `delivered`." },
};

const holdTexts: TriggerTexts<HoldTrigger> = {
  create: { label: "create", meaning: "The policy allows the message, and it is held." },
  claim: { label: "claim", meaning: "A person passed the check. One caller claims the hold." },
  accept: { label: "accepted", meaning: "The platform accepted the message." },
  fail: { label: "failed", meaning: "The message could not be sent." },
  revoke: { label: "revoked", meaning: "The root secret was replaced as a leaked one, so that its link has ended." },
  run_out: { label: "expires", meaning: `${HOLD_LIFETIME / MINUTE} minutes passed, or the 7 days ended.` },
  lapse: {
    label: "outcome unknown",
    meaning: `The hold was \`sending\` for more than ${HOLD_SENDING_MAX / SECOND} seconds.`,
  },
};

const uploadTexts: TriggerTexts<UploadTrigger> = {
  create: { label: "create", meaning: "The declared file is accepted, and the client gets a grant." },
  finish: { label: "finish", meaning: "The posted file passed the checks. One caller finishes the upload." },
  refuse: { label: "refused", meaning: "The posted file is too large or of another type. It is deleted." },
  accept: { label: "accepted", meaning: "The platform took the file." },
  fail: {
    label: "failed",
    meaning:
      "The platform refused the file, the account cannot send or was disconnected, the conversation is gone, or Parley failed.",
  },
  lapse: {
    label: "no outcome",
    meaning: `The upload was \`processing\` for ${UPLOAD_PROCESSING_MAX / MINUTE} minutes.`,
  },
};

const accountTexts: TriggerTexts<AccountTrigger> = {
  connect: { label: "connect", meaning: "A person connected the account, for the first time or again." },
  refresh_refused: {
    label: "refresh refused",
    meaning: "The platform refused to refresh the access token, which still works.",
  },
  refreshed: { label: "refreshed", meaning: "The platform issued a new access token." },
  access_ended: {
    label: "access ended",
    meaning: "The token is no longer valid or has expired, or a permission is missing.",
  },
  access_confirmed: {
    label: "access confirmed",
    meaning: "A check asked the platform: the token is valid, and no permission is missing.",
  },
  restrict: {
    label: "restrict",
    meaning: "The platform refused a call because it restricts the account. The wait until the next try doubles.",
  },
  restriction_ended: {
    label: "restriction ended",
    meaning: "The platform accepted a send, or a check after the wait, or reported an unblock.",
  },
};

const endpointTexts: TriggerTexts<EndpointTrigger> = {
  create: { label: "create", meaning: "`POST /v1/webhooks`." },
  pause: { label: "pause", meaning: "`PATCH` with `status: paused`." },
  resume: { label: "resume", meaning: "`PATCH` with `status: active`." },
  auto_pause: {
    label: "auto-pause",
    meaning: `Parley pauses it: its receiver answered 410, or every attempt failed for ${AUTO_PAUSE_AFTER / DAY} days.`,
  },
  delete: { label: "delete", meaning: "`DELETE /v1/webhooks/{id}`. The history of its deliveries remains." },
};

const breakerTexts: TriggerTexts<BreakerTrigger> = {
  success: { label: "success", meaning: "An attempt or a probe succeeded." },
  failure: { label: "failure", meaning: "Attempts failed." },
  failure_limit: {
    label: `${FAILURES_TO_OPEN} failures in a row`,
    meaning: `Attempts failed, and the endpoint reached ${FAILURES_TO_OPEN} failures in a row.`,
  },
  probe_failure: {
    label: "probe fails",
    meaning: `The probe failed. The wait for the next one doubles, up to ${PROBE_WAIT_MAX / MINUTE} minutes.`,
  },
  probe_inconclusive: {
    label: "probe inconclusive",
    meaning: "The egress gate refused the probe, or the receiver answered 410. The wait stays the same.",
  },
  nothing_to_probe: { label: "nothing to probe", meaning: "No delivery is waiting that could serve as a probe." },
  probe_late: {
    label: "probe late",
    meaning: `The probe is ${PROBE_OVERDUE / MINUTE} minutes late. The next attempt is made in its place.`,
  },
};

/** docs/design/states.md, from the transition tables that the rules and the stores use. */
export function statesPage(): string {
  return `# States

<!-- Generated by \`npm run docs\` from the transition tables in the rules of the features. Do not edit. -->

Each diagram is generated from the transition table that the code uses. \`npm run check\` fails when this page differs
from the code.

## Delivery

Table: \`deliveryTransitions\` in \`shared/features/delivery/rules/deliveries.ts\`. The stores build their write conditions from it.
[Delivery and retries](../guides/delivery.md) explains the statuses.

${stateDiagram(deliveryTransitions, deliveryTexts)}

## Hold

Table: \`holdTransitions\` in \`shared/features/holds/rules/holds.ts\`. The stores build their write conditions from it.
[Held messages](../guides/held-messages.md) explains the statuses.

${stateDiagram(holdTransitions, holdTexts)}

## Upload

Table: \`uploadTransitions\` in \`shared/features/uploads/rules/uploads.ts\`. The stores build their write conditions from it.
[Uploading files](../guides/uploads.md) explains the statuses.

${stateDiagram(uploadTransitions, uploadTexts)}

## Account

Table: \`accountTransitions\` in \`shared/features/accounts/rules/account-health.ts\`. A block that the platform reports is stored
beside this status: the account is shown as \`restricted\` until the unblock, unless it is \`needs_reauth\`.
[Accounts](../guides/accounts.md) explains the statuses.

${stateDiagram(accountTransitions, accountTexts)}

## Endpoint

### Status

Table: \`endpointTransitions\` in \`shared/features/webhooks/rules/endpoints.ts\`. The stores build their write conditions from it.

${stateDiagram(endpointTransitions, endpointTexts)}

### Circuit breaker

Table: \`breakerTransitions\` in \`shared/features/delivery/rules/breaker.ts\`. Each row also names the function that updates the
breaker. A new endpoint starts \`closed\`. [Delivery and retries](../guides/delivery.md#when-an-endpoint-keeps-failing)
explains what each state means for deliveries.

${stateDiagram(breakerTransitions, breakerTexts)}
`;
}
