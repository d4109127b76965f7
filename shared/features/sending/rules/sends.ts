import { shortHash } from "#base/kernel/bytes.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { PLATFORM_TIMEOUT } from "#base/kernel/limits.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import type { Attachment, Scope, SentVia } from "#features/inbox/rules/messages.ts";

// The record of a send, and how an echo is matched to it.

/** `unknown`: the platform was called but its response was lost. An echo may still settle the send. */
export type SendState = "sending" | "sent" | "failed" | "unknown";

/** A send before its platform call, with what its message shows of it. */
export interface NewSend {
  /** A ULID. Messenger returns it in the echo. */
  readonly id: string;
  /** The hash of the content, by `contentHash`. */
  readonly content: string;
  readonly via: SentVia;
  readonly actorId: string | null;
  /** The hold that this send releases. */
  readonly holdId: string | null;
  readonly replyTo: string | null;
  readonly scope: Scope;
}

/** The effects of a refusal beyond its own send. They are stored so that the sweep can apply them. */
export interface SendConsequences {
  readonly accountStatus: "needs_reauth" | "restricted" | null;
  /** How long the account pauses all sends after the refusal, in milliseconds. */
  readonly coolDownMs: Millis | null;
  /** How long human agent sends to this person pause after the refusal, in milliseconds. */
  readonly humanAgentPauseMs: Millis | null;
  readonly humanAgentRefused: boolean;
}

/** The platform's refusal of a send. */
export interface SendFailure extends SendConsequences {
  /** The platform's error text. */
  readonly detail: string;
  readonly at: Millis;
}

export interface SendRecord extends NewSend {
  readonly startedAt: Millis;
  readonly state: SendState;
  /** The platform's id of the message; null until the platform or an echo names it. */
  readonly messageId: string | null;
  /** What named the message id: the platform's response, which is certain, or a matching echo. */
  readonly messageIdSource: "answer" | "echo" | null;
  /** The platform's time of the echo that named the message before the response did. */
  readonly echoAt?: Millis;
  /** Only in state `failed`. */
  readonly failure?: SendFailure;
}

/** A send without a response or an echo after this long is published as failed. An echo may still arrive. */
export const SEND_SETTLE_DEADLINE: Millis = MINUTE;

/**
 * A send leaves within this time after its id was made, or never: echoes find sends by the time of their id. Half of
 * `SEND_SETTLE_DEADLINE`, of the time for which a hold may be sending, and of the time for which an idempotency key is in
 * flight: no process that was frozen sends what another process has settled or taken over.
 */
const SEND_LEAVES_WITHIN: Millis = 30 * SECOND;

/** Details of a failed send that are not the platform's text. */
const ownDetails = ["not_sent_in_time", "outcome_unknown"] as const;

/** The reason of a failed send, by its detail: that of Parley, or the platform's error text. */
export function sendFailureReason(detail: string): "send_failed" | (typeof ownDetails)[number] {
  return ownDetails.find((ownDetail) => ownDetail === detail) ?? "send_failed";
}

/** Reserved after the platform's response for storing and publishing the outcome. */
export const SEND_SETTLE_RESERVE: Millis = 4 * SECOND;
/**
 * The same after a call that takes longer than others, because the platform fetches a file. It suffices unless calls to
 * AWS are repeated; then the outcome is unknown to the caller, and the sweep settles it.
 */
export const SEND_SETTLE_RESERVE_MIN: Millis = 2 * SECOND;

/**
 * The last instant at which a send may leave: in time after its id was made, inside the messaging window, and early
 * enough for its request to wait for the platform.
 * @param requestEndsAt when the request must have answered
 */
export function sendLeavesBy(
  { id, windowEndsAt }: { readonly id: string; readonly windowEndsAt: Millis },
  requestEndsAt: Millis,
): Millis {
  return Math.min(
    ulidTime(id) + SEND_LEAVES_WITHIN,
    windowEndsAt - 1,
    requestEndsAt - PLATFORM_TIMEOUT - SEND_SETTLE_RESERVE,
  );
}

/** When the call of a send must have ended. */
export function sendEndsBy(requestEndsAt: Millis): Millis {
  return requestEndsAt - SEND_SETTLE_RESERVE_MIN;
}

/** How long before its echo a send may have started. */
const ECHO_AFTER_SEND_MAX: Millis = 15 * MINUTE;
/** How far the platform's clock may lag behind ours. */
const CLOCK_LAG_MAX: Millis = MINUTE;

/** When a send may have started to match an echo of `at`. Depends on `at` alone, so a repetition searches the same. */
export function echoSendWindow(at: Millis): { readonly from: Millis; readonly until: Millis } {
  return { from: at - ECHO_AFTER_SEND_MAX, until: at + CLOCK_LAG_MAX };
}

/**
 * A hash of a message's content that survives what platforms change: they trim texts, may compose characters
 * differently and rewrite attachment URLs. Texts are trimmed and normalized to NFC, and attachments count by type.
 */
export function contentHash(text: string, attachments: readonly Pick<Attachment, "type">[]): string {
  const types = attachments.map(({ type }) => type).sort();
  return shortHash(JSON.stringify([text.normalize("NFC").trim(), types]));
}

/**
 * The sends that an echo without metadata may belong to, most likely first: the send that already has its message id,
 * then the unsettled sends with the same content, oldest first. A send that an echo matched is unsettled again when the
 * platform's response names the same message for another send. Test sends have no echoes.
 * @param records the sends of the conversation, oldest first
 */
export function echoCandidates(
  records: readonly SendRecord[],
  echo: { readonly messageId: string; readonly content: string },
): readonly SendRecord[] {
  const live = records.filter(({ scope }) => scope === "live");
  const confirmedIds = new Set(
    live.filter(({ messageIdSource }) => messageIdSource === "answer").map(({ messageId }) => messageId),
  );
  const exactMatches = live.filter(({ messageId }) => messageId === echo.messageId);
  const unsettledMatches = live.filter(
    ({ content, state, messageId, messageIdSource }) =>
      content === echo.content &&
      (messageId === null
        ? state === "sending" || state === "unknown"
        : messageIdSource === "echo" && messageId !== echo.messageId && confirmedIds.has(messageId)),
  );
  return [...exactMatches.sort((one) => (one.messageIdSource === "answer" ? -1 : 1)), ...unsettledMatches];
}

const PAGE_INBOX_APP = "26390203743090";

/** The page inbox counts as the native app. So does an echo without an app id: Instagram's echoes have none. */
export function echoSentVia(appId: string | null): SentVia {
  return appId === null || isPageInbox(appId) ? "native_app" : "other_app";
}

export function isPageInbox(appId: string | null): boolean {
  return appId === PAGE_INBOX_APP;
}
