import { MINUTE } from "../../data/durations.ts";
import { type FileKind, type Message, millis } from "../../data/types.ts";

// The messages that this person sent and that the thread does not show yet. The functions are pure.

export interface SentFile {
  readonly type: FileKind;
  readonly attachmentId: string;
  readonly name: string;
  /** A picture of this page's memory; null for what is no picture. */
  readonly preview: string | null;
}

/** A platform's clock is this much behind at most. */
const CLOCK_SKEW = MINUTE;

/** What is known of a send. `unknown`: it may have arrived. `held`: it waits for the person's second press. */
export type SendState =
  | { readonly kind: "sending" }
  | { readonly kind: "sent"; readonly messageId: string }
  | { readonly kind: "failed"; readonly code: string; readonly detail: string }
  | { readonly kind: "unknown" }
  | { readonly kind: "held"; readonly holdId: string; readonly secret: string; readonly endsAt: number };

export interface Send {
  /** The `Idempotency-Key`, made once: a repetition sends nothing new. */
  readonly key: string;
  readonly conversation: string;
  readonly mode: "reply" | "person";
  readonly text: string;
  readonly files: readonly SentFile[];
  readonly replyTo: string | null;
  /** When it was pressed, in epoch milliseconds of the server. */
  readonly at: number;
  /** The messages that the thread showed then. */
  readonly before: ReadonlySet<string>;
  /** When the oldest of them was sent, in epoch milliseconds. */
  readonly shownFrom: number;
  readonly state: SendState;
}

/** The body of the call. */
export function sendBody({ conversation, text, files, replyTo }: Send) {
  return {
    conversation_id: conversation,
    ...(text === "" ? {} : { text }),
    ...(files.length === 0
      ? {}
      : { attachments: files.map(({ type, attachmentId }) => ({ type, attachment_id: attachmentId })) }),
    ...(replyTo === null ? {} : { reply_to: replyTo }),
  };
}

/** Refusals that Parley stores with the key: nothing was sent, and with this key nothing will be. */
const finalCodes: ReadonlySet<string> = new Set([
  "account_not_found",
  "conversation_not_found",
  "hold_expired",
  "human_agent_unavailable",
  "send_failed",
  "window_closed",
]);

/**
 * How an error of the call leaves a send. Without an answer of Parley, and when the platform's was lost, it may have arrived.
 * @param wasUnknown it may have arrived before this call: then only a stored refusal says that it did not
 */
export function stateAfterError(
  error: { code: string; status: number | null; detail: string },
  wasUnknown = false,
): SendState {
  const { code, status, detail } = error;
  if (wasUnknown && !finalCodes.has(code)) return { kind: "unknown" };
  if (code === "invalid_argument") return { kind: "failed", code, detail: "" };
  const isLost = status === null || code === "unexpected_response" || (status >= 500 && code !== "send_failed");
  if (isLost || detail === "outcome_unknown") return { kind: "unknown" };
  return { kind: "failed", code, detail };
}

/** How a hold that failed leaves a send: only `outcome_unknown` may have arrived. */
export function stateAfterHold(code: string, detail: string): SendState {
  return detail === "outcome_unknown" ? { kind: "unknown" } : { kind: "failed", code, detail };
}

/**
 * The sends that the thread does not show yet, oldest first. One is shown once its message is there: by the id of its
 * answer, or, while that is open, as a new message of the same person with the same content.
 * @param messages of the thread
 * @param actorId as messages name this person
 */
export function unshownSends(sends: readonly Send[], messages: readonly Message[], actorId: string): Send[] {
  const claimedIds = new Set<string>();
  const byId = new Set(messages.map(({ id }) => id));
  for (const { state } of sends) if (state.kind === "sent") claimedIds.add(state.messageId);
  return sends.filter((send) => {
    const { state } = send;
    if (state.kind === "sent") return !byId.has(state.messageId);
    if (state.kind !== "sending" && state.kind !== "unknown" && !(state.kind === "held")) return true;
    const match = messages.find(
      (message) => !claimedIds.has(message.id) && !send.before.has(message.id) && isSame(send, message, actorId),
    );
    if (match) claimedIds.add(match.id);
    return !match;
  });
}

function isSame(send: Send, message: Message, actorId: string): boolean {
  return (
    message.direction === "outbound" &&
    // A send of an earlier page has no list of the messages before it.
    millis(message.sent_at) > send.at - CLOCK_SKEW &&
    (message.actor_id === actorId || message.actor_id === null) &&
    message.text === send.text &&
    message.attachments.length === send.files.length
  );
}

/** What a person saw of a thread: the messages, and when the oldest of them was sent, in epoch milliseconds. */
export interface Seen {
  readonly ids: ReadonlySet<string>;
  readonly from: number;
}

/** What a thread shows. @param now for a thread without messages, in epoch milliseconds */
export function seenOf(messages: readonly Message[], now: number): Seen {
  const [oldest] = messages;
  return { ids: new Set(messages.map(({ id }) => id)), from: oldest === undefined ? now : millis(oldest.sent_at) };
}

/**
 * The newest answer of a colleague, or of a program, that the person had not seen when they began to write; null when there
 * is none. It may have been sent before that: during a lost connection an answer shows only after the reconnect. What is
 * older than everything that was seen was loaded since, and is no new answer.
 * @param own the ids of this person's messages
 */
export function unseenAnswer(
  messages: readonly Message[],
  { ids, from }: Seen,
  { actorId, own }: { readonly actorId: string; readonly own: ReadonlySet<string> },
): Message | null {
  const newest = messages.findLast(
    (message) =>
      message.direction !== "inbound" &&
      message.actor_id !== actorId &&
      !own.has(message.id) &&
      message.deleted_at === null &&
      !ids.has(message.id) &&
      millis(message.sent_at) > from,
  );
  return newest ?? null;
}

/** The time that is left for a hold's check, as `14:32`. @param ms milliseconds, at least 0 */
export function checkTimeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
