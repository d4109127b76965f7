import { RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { conversationId, HISTORY_AGE_MIN } from "#features/inbox/rules/messages.ts";
import { erasureSubject } from "#features/recovery/journal.ts";
import type { Thread, ThreadMessage } from "#platforms/graph/account-platform.ts";
import { type Account, isRepeatable } from "../../rules/accounts.ts";
import type { MissingMessagePorts } from "./ports.ts";

/** The messages of one thread, oldest first, and the time of the backfill. */
export interface ThreadHistory {
  readonly tenant: TenantId;
  readonly account: Account;
  readonly messages: readonly ThreadMessage[];
  readonly since: Millis;
  readonly until: Millis;
  readonly now: Millis;
}

/** A webhook and the history may name different seconds for one message. */
const TIME_DIFFERENCE_MAX: Millis = MINUTE;

/**
 * Queues the messages of a thread that no webhook brought, as one webhook: the ingest worker stores and publishes them as
 * it does any other. Safe to repeat. @returns how many it queued
 */
export async function queueMissingMessages(ports: MissingMessagePorts, history: ThreadHistory): Promise<number> {
  const byPerson = Map.groupBy(messagesInTime(history), ({ participantId }) => participantId);
  let count = 0;
  for (const [participantId, messages] of byPerson) {
    count += await queueMissing(ports, { ...history, participantId, messages });
  }
  return count;
}

/** A message of the second of a limit counts as within it where it is stored once anyway. */
function messagesInTime({ messages, since, until, now }: ThreadHistory): ThreadMessage[] {
  const from = Math.max(since - SECOND, now - RETENTION);
  const upTo = Math.min(until, now - HISTORY_AGE_MIN);
  return messages.filter(({ at }) => at > from && at <= upTo);
}

async function queueMissing(
  ports: MissingMessagePorts,
  history: ThreadHistory & { readonly participantId: string },
): Promise<number> {
  const { tenant, account, participantId, now } = history;
  const conversation = conversationId({ tenant, account, participantId });
  const [own, restored] = [
    await readErasure(ports, conversation, now),
    await readRestoredErasure(ports, { account, conversation, now }),
  ];
  const erasedAt = own === null || restored === null ? (own ?? restored) : Math.max(own, restored);
  // The second in which the conversation was erased counts as before the erasure.
  const messages = history.messages.filter(({ at }) => erasedAt === null || at > erasedAt);
  const [oldest, newest] = [messages.at(0), messages.at(-1)];
  if (!oldest || !newest) return 0;
  const ids = messages.map(({ id }) => id);
  const sentTimes = await ports.messages.sentTimes(conversation, ids, {
    from: oldest.at - TIME_DIFFERENCE_MAX,
    upTo: newest.at + TIME_DIFFERENCE_MAX,
  });
  const missing = inOrder(messages, sentTimes).filter(({ id }) => !sentTimes.has(id));
  if (missing.length > 0) await ports.queueWebhook(ports.renderWebhook(account, missing), now);
  return missing.length;
}

/** Reads consistently: a message from before an erasure that has just started must not come back. */
async function readErasure(
  ports: Pick<MissingMessagePorts, "conversations" | "erasures">,
  conversation: string,
  now: Millis,
): Promise<Millis | null> {
  const snapshots = await ports.conversations.snapshots([conversation], { consistent: true });
  return snapshots.get(conversation)?.erasedAt ?? ports.erasures.erasedAt(conversation, now);
}

/** The erasure that the journal has of a conversation which the restored table may not know. */
async function readRestoredErasure(
  { restoredErasures }: Pick<MissingMessagePorts, "restoredErasures">,
  { account, conversation, now }: Pick<ThreadHistory, "account" | "now"> & { readonly conversation: string },
): Promise<Millis | null> {
  const { restore } = account;
  if (restore === null || (restore.until !== null && restore.until + RETENTION < now)) return null;
  return (await restoredErasures.get(erasureSubject(conversation))).upTo;
}

/**
 * Notes the conversations of a thread if the platform does not list all of its messages since a restored time. A send that
 * the table does not know may be among those that are not listed. Safe to repeat. Does nothing from a day after a restore.
 */
export async function notePartlyRead(
  { restoredErasures }: Pick<MissingMessagePorts, "restoredErasures">,
  {
    tenant,
    account,
    now,
    thread,
    messages,
  }: Pick<ThreadHistory, "tenant" | "account" | "messages" | "now"> & { readonly thread: Thread },
): Promise<void> {
  if (account.restore === null || !isRepeatable(account.restore, now)) return;
  const people = new Set([...thread.participantIds, ...messages.map(({ participantId }) => participantId)]);
  for (const participantId of people) {
    const subject = erasureSubject(conversationId({ tenant, account, participantId }));
    await restoredErasures.notePartlyRead(subject, now);
  }
}

/** Messages of one second follow each other by a millisecond each, after a stored one of that second too. */
function inOrder(messages: readonly ThreadMessage[], sentTimes: ReadonlyMap<string, Millis>): readonly ThreadMessage[] {
  let previous: Millis = 0;
  return messages.map((message) => {
    const latest = message.at + SECOND - 1;
    previous = sentTimes.get(message.id) ?? Math.min(latest, Math.max(message.at, previous + 1));
    return { ...message, at: previous };
  });
}
