import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import { DAY, MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import type { ReadMessage } from "./plan.ts";
import type { FetchedPorts } from "./ports.ts";
import { contentAttachments, contentText } from "./rules/send-content.ts";
import { contentHash } from "./rules/sends.ts";

/** How long after a restore of the table a send may be one from before it: as long as an idempotency key is stored. */
const ANSWERED_FOR: Millis = DAY;
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
 * The result of a send whose message the platform has from before a restore of the table: on the day after a restore, a
 * message with its text that was fetched. Each message answers one send. Media has no text to compare: it counts as a
 * fetched message with media of the same types, and its outcome is unknown. Reads nothing at any other time.
 * @returns null when the message is to be sent
 */
export async function answerFetched(
  { fetchedMessages }: FetchedPorts,
  { message: { tenant, conversationId, content, scope }, account, send }: RepeatedSend,
  now: Millis,
): Promise<FetchedResult | null> {
  const { from, until = null } = account?.restore ?? {};
  if (scope === "test" || from === undefined || until === null || now >= until + ANSWERED_FOR) return null;
  const sentHash = contentHash(contentText(content), contentAttachments(content));
  const range = { from: from - CLOCK_MARGIN, upTo: until + CLOCK_MARGIN };
  const fetched = await fetchedMessages.list(tenant, conversationId, range);
  const equalMessages = fetched.filter(({ message }) => contentHash(message.text, message.attachments) === sentHash);
  const ownMessages = equalMessages.filter(({ answers }) => answers === send);
  const freeMessages = equalMessages.filter(({ answers }) => answers === null);
  for (const { message, ref } of [...ownMessages, ...freeMessages]) {
    if (!(await fetchedMessages.claim(ref, send))) continue;
    if (content.kind === "text") return { kind: "sent", messageId: message.id };
    return { kind: "refused", refusal: refuse("outcome_unknown", "outcome_unknown") };
  }
  return null;
}
