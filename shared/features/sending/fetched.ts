import { allDone } from "#base/kernel/parallel.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { type Account, isRepeatable } from "#features/accounts/rules/accounts.ts";
import { erasureSubject } from "#features/recovery/journal.ts";
import type { ReadMessage } from "./plan.ts";
import type { FetchedPorts } from "./ports.ts";
import { contentAttachments, contentText } from "./rules/send-content.ts";
import { contentHash } from "./rules/sends.ts";

/** How far the clocks of the platform, of the table and of this process differ. */
const CLOCK_MARGIN: Millis = 5 * MINUTE;

/** A send that may have been made before the table was restored. */
interface RepeatedSend {
  readonly message: ReadMessage;
  /** Null when it is not connected. */
  readonly account: Account | null;
  /** What identifies the send: a repetition has the same. */
  readonly send: string;
}

/** With `outcome_unknown` the platform may have the message. */
type FetchedResult =
  | { readonly kind: "sent"; readonly messageId: string }
  | { readonly kind: "refused"; readonly refusal: Refusal<"outcome_unknown"> };

/**
 * Answers a send from the messages that were fetched after a restore of the table. After a restore, a repeated send may
 * already be on the platform. On the following day a fetched message with the same text answers it, and each message
 * answers one send. Media has no text: media of the same types counts, and the outcome is unknown. The outcome is also
 * unknown where the conversation was erased in that time or its history is incomplete. Reads nothing at any other time.
 * @returns null when the message is to be sent
 */
export async function answerFetched(
  ports: FetchedPorts,
  { message: { tenant, conversationId, content, scope }, account, send }: RepeatedSend,
  now: Millis,
): Promise<FetchedResult | null> {
  const { fetchedMessages } = ports;
  const { answersFrom, until } = account?.restore ?? { answersFrom: 0, until: null };
  if (scope === "test" || until === null || !isRepeatable({ until }, now)) return null;
  const from = answersFrom - CLOCK_MARGIN;
  const sentHash = contentHash(contentText(content), contentAttachments(content));
  const range = { from, upTo: until + CLOCK_MARGIN };
  const fetched = await fetchedMessages.list(tenant, conversationId, range);
  const equalMessages = fetched.filter(({ message }) => contentHash(message.text, message.attachments) === sentHash);
  const ownMessages = equalMessages.filter(({ answers }) => answers === send);
  const freeMessages = equalMessages.filter(({ answers }) => answers === null);
  for (const { message, ref } of [...ownMessages, ...freeMessages]) {
    if (!(await fetchedMessages.claim(ref, send))) continue;
    if (content.kind === "text") return { kind: "sent", messageId: message.id };
    return outcomeUnknown;
  }
  return (await isWhollyKnown(ports, { conversationId, from, now })) ? null : outcomeUnknown;
}

const outcomeUnknown = { kind: "refused", refusal: refuse("outcome_unknown", "outcome_unknown") } as const;

/** Whether the table has every message of a conversation that the platform had since a restored time. */
async function isWhollyKnown(
  { erasures, restoredErasures }: FetchedPorts,
  { conversationId, from, now }: { readonly conversationId: string; readonly from: Millis; readonly now: Millis },
): Promise<boolean> {
  const [erasedAt, restored] = await allDone([
    erasures.erasedAt(conversationId, now),
    restoredErasures.get(erasureSubject(conversationId)),
  ]);
  return Math.max(erasedAt ?? 0, restored.upTo ?? 0) < from && !restored.isPartlyRead;
}
