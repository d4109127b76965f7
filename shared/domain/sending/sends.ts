import { shortHash } from "../../kernel/bytes.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import type { Attachment, Scope, SentVia } from "../inbox/messages.ts";

// What we keep of each send, and how an echo is recognised as one of them.

/** `unknown`: the platform was called and it is not known what became of it; an echo may still tell. */
export type SendState = "sending" | "sent" | "failed" | "unknown";

/** A send as it is begun: what its message will say of itself. */
export interface NewSend {
  /** A ULID; Messenger gives it back in the echo. */
  readonly id: string;
  /** The hash of what is sent. */
  readonly content: string;
  readonly via: SentVia;
  readonly actorId: string | null;
  /** The held message that this send lets go, if it is one. */
  readonly holdId: string | null;
  readonly replyTo: string | null;
  readonly scope: Scope;
}

/** What a refusal changes beyond its own send, as far as it has to be done again where a process dies over it. */
export interface SendConsequences {
  readonly accountStatus: "needs_reauth" | "restricted" | null;
  /** How long the account is to send nothing, from the refusal. */
  readonly coolDownMs: Millis | null;
  /** How long this person is to get nothing of a human agent, from the refusal. */
  readonly humanAgentPauseMs: Millis | null;
  readonly humanAgentRefused: boolean;
}

/** The platform's refusal of a send. */
export interface SendFailure extends SendConsequences {
  /** The platform's words. */
  readonly detail: string;
  readonly at: Millis;
}

export interface SendRecord extends NewSend {
  readonly startedAt: Millis;
  readonly state: SendState;
  /** The platform's id of what was sent, once known. */
  readonly messageId: string | null;
  /** Who named the message id: the platform's answer, which is certain, or an echo that fits. */
  readonly messageIdSource: "answer" | "echo" | null;
  /** Of a failed one. */
  readonly failure?: SendFailure;
}

/** After this long without an answer or an echo a send counts as failed, for those who wait; an echo may still come. */
export const SEND_SETTLE_DEADLINE: Millis = MINUTE;

/**
 * How long after its id was made a send may be begun, or never: an echo looks for it by its id's time. Shorter than a
 * key's request is waited for, so that of two that share a key, one made anew after the other, one is begun.
 */
export const SEND_START_DEADLINE: Millis = 30 * SECOND;

/** How long before its echo a send may have begun. */
const ECHO_AFTER_SEND_MAX: Millis = 15 * MINUTE;
/** How far the platform's clock may be behind ours. */
const CLOCK_LAG_MAX: Millis = MINUTE;

/** When a send must have begun for an echo of `at` to be its own. Of the echo's time alone: a repeat asks the same. */
export function echoSendWindow(at: Millis): { readonly from: Millis; readonly until: Millis } {
  return { from: at - ECHO_AFTER_SEND_MAX, until: at + CLOCK_LAG_MAX };
}

/**
 * A hash of what a message says: its text, or the kinds of what is attached. Platforms trim texts and may compose
 * characters otherwise, and give attachments other addresses: a text counts trimmed and in Unicode's form NFC, an
 * attachment by its kind.
 */
export function contentHash(text: string, attachments: readonly Pick<Attachment, "type">[]): string {
  const kinds = attachments.map(({ type }) => type).sort();
  return shortHash(JSON.stringify([text.normalize("NFC").trim(), kinds]));
}

/**
 * The sends that an echo without metadata may be of, the likeliest first: the one that has its id already, then the
 * unsettled ones of the same content, oldest first. A send whose message another one turned out to have sent is
 * unsettled again. A test send never left.
 * @param records of the conversation, oldest first
 */
export function echoCandidates(
  records: readonly SendRecord[],
  echo: { readonly messageId: string; readonly content: string },
): readonly SendRecord[] {
  const live = records.filter(({ scope }) => scope === "live");
  const confirmedIds = new Set(
    live.filter(({ messageIdSource: namedBy }) => namedBy === "answer").map(({ messageId }) => messageId),
  );
  const exactMatches = live.filter(({ messageId }) => messageId === echo.messageId);
  const unsettledMatches = live.filter(
    ({ content, state, messageId, messageIdSource: namedBy }) =>
      content === echo.content &&
      (messageId === null
        ? state === "sending" || state === "unknown"
        : namedBy === "echo" && messageId !== echo.messageId && confirmedIds.has(messageId)),
  );
  return [...exactMatches.sort((one) => (one.messageIdSource === "answer" ? -1 : 1)), ...unsettledMatches];
}

const PAGE_INBOX_APP = "26390203743090";

/** The page inbox is native, and so is what names no app, as Instagram's echoes do; any other app is another app. */
export function echoSentVia(appId: string | null): SentVia {
  return appId === null || isPageInbox(appId) ? "native_app" : "other_app";
}

export function isPageInbox(appId: string | null): boolean {
  return appId === PAGE_INBOX_APP;
}
