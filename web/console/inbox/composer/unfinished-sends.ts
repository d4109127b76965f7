import { MINUTE } from "../../data/durations.ts";
import type { FileKind } from "../../data/types.ts";
import type { UnfinishedSend } from "./drafts.ts";
import type { Send, SendState } from "./sends.ts";

// What is stored of a send while it is not certain how it ended, and what a later page makes of it. The functions are pure.

/** A message is held this long. */
const HOLD_LASTS = 15 * MINUTE;

/** The answer of a hold was lost. Nothing was sent, and the same key gives the same hold. */
export const lostHold: SendState = { kind: "failed", code: "connection_failed", detail: "" };

export function isLostHold(state: SendState): boolean {
  return state === lostHold;
}

/**
 * What to store of a send; null when it ended.
 * @param call its body, and whether its hold exists, so that a send of it may have left
 */
export function unfinishedSend(
  { key, mode, at, state }: Send,
  { body, isChecked }: { readonly body: object; readonly isChecked: boolean },
): UnfinishedSend | null {
  if (state.kind === "sent" || (state.kind === "failed" && !isLostHold(state))) return null;
  const mayHaveArrived = mode === "reply" || state.kind === "unknown" || (state.kind === "sending" && isChecked);
  const holdEndsAt = state.kind === "held" ? state.endsAt : at + HOLD_LASTS;
  return { key, mode, body, at, holdEndsAt: mayHaveArrived ? null : holdEndsAt };
}

/**
 * A send of an earlier page: a message that waits for its check is asked for again (`sending`), and one that left may have
 * arrived.
 * @param now the server's time in epoch milliseconds
 */
export function resumedSend(
  conversation: string,
  { key, mode, body, at, holdEndsAt }: UnfinishedSend,
  now: number,
): Send {
  const { text = "", reply_to = null, attachments = [] } = body as StoredBody;
  const files = attachments.map(({ type, attachment_id }) => ({
    type,
    attachmentId: attachment_id,
    name: "",
    preview: null,
  }));
  return {
    key,
    conversation,
    mode,
    text,
    files,
    replyTo: reply_to,
    at,
    before: new Set(),
    shownFrom: at,
    state: stateOf(holdEndsAt, now),
  };
}

function stateOf(holdEndsAt: number | null, now: number): SendState {
  if (holdEndsAt === null) return { kind: "unknown" };
  return holdEndsAt > now ? { kind: "sending" } : { kind: "failed", code: "hold_expired", detail: "" };
}

interface StoredBody {
  readonly text?: string;
  readonly reply_to?: string | null;
  readonly attachments?: readonly { readonly type: FileKind; readonly attachment_id: string }[];
}
