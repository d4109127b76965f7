import { shortHash } from "#base/kernel/bytes.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { IngestPorts } from "../ports.ts";
import { editKey, reactionKey, unsendKey } from "../rules/message-changes.ts";
import type { Edit, Message, MessageRef, Reaction } from "../rules/messages.ts";
import type { ConversationSnapshot } from "../store/conversations.ts";
import type { PendingChange } from "../store/pending-changes.ts";
import type { ChangeContext } from "./update-context.ts";

export type MessageChange =
  | {
      readonly unsentAt: Millis;
      /** How many edits are known. */
      readonly edits: number;
    }
  | { readonly edit: Edit }
  | { readonly reaction: Reaction };

type ChangePorts = Pick<IngestPorts, "conversations" | "pendingChanges" | "messageChanges" | "eventBodies">;

/** `erased`: the message is from before an erasure and is removed, so the change must be too. */
export type ChangeResult = "applied" | "unsent" | "erased";

/** How many edits are searched for stored events when a message is unsent. The platforms allow five. */
const EDITS_DELETED_MAX = 25;

/**
 * Applies a change to its message. Where the message has not arrived, stores the change as pending. Safe to repeat and
 * to run beside the message's own ingest: either that finds the pending change, or this finds the message's row, or the
 * mark of a message that was dropped.
 * @returns `unsent` also when an earlier change unsent the message
 */
export async function applyOrDeferChange(
  ports: ChangePorts,
  context: ChangeContext,
  change: MessageChange,
): Promise<ChangeResult> {
  const { account, conversationId, messageId, erasure, now } = context;
  const ref = await ports.messageChanges.find(account.tenant, conversationId, messageId);
  if (ref) {
    const message = await changeStoredMessage(ports, context, ref, change);
    // Its ingest learns about the erasure when it advances the head, and removes the message.
    if (message && erasure.covers(message.sentAt)) return "erased";
    if (message) return message.unsentAt === undefined ? "applied" : "unsent";
  }
  const pending = await deferChange(ports, context, change);
  await ports.pendingChanges.markPending(conversationId, messageId, now);
  const lateRef = await ports.messageChanges.findAmongNewest(conversationId, messageId);
  const unsent = pending.unsentAt !== null;
  if (lateRef) {
    // The ingest of the message may have applied and cleared the pending change between the two reads.
    const isUnsent = (await applyPending(ports, context, lateRef)) || unsent;
    if (isUnsent) await deleteEditEvents(ports, context, editCount(change));
    return isUnsent ? "unsent" : "applied";
  }
  if (await erasure.wasRemoved(messageId)) {
    await removePending(ports, context);
    // The name that this process left on the head after another one had removed the change.
    await ports.pendingChanges.clearPending(conversationId, messageId);
    return "erased";
  }
  if (!unsent) return "applied";
  await deleteEditEvents(ports, context, Math.max(pending.edit?.count ?? 0, editCount(change)));
  return "unsent";
}

/**
 * Whether a change arrived before this message.
 * @param snapshots of the head. The one after the write is certain; the one before it may show a change that another
 * run has applied since and not published.
 */
export function hasPendingChange(messageId: string, ...snapshots: readonly ConversationSnapshot[]): boolean {
  if (snapshots.every(({ pendingMessageIds }) => pendingMessageIds.size === 0)) return false;
  const hash = shortHash(messageId);
  return snapshots.some(({ pendingMessageIds }) => pendingMessageIds.has(hash));
}

/** Applies the pending change of a stored message. @returns whether the message is unsent by it */
export async function applyPending(ports: ChangePorts, context: ChangeContext, ref: MessageRef): Promise<boolean> {
  const { conversationId, messageId } = context;
  const pending = await ports.pendingChanges.get(conversationId, messageId);
  const changes = pending ? toChanges(pending) : [];
  if (changes.length === 0) return false;
  let message: Message | null = null;
  for (const change of changes) message = await changeStoredMessage(ports, context, ref, change);
  await ports.pendingChanges.clearPending(conversationId, messageId);
  return message?.unsentAt !== undefined;
}

/** Stores a change of a message that has not arrived. @returns the changes that are pending now */
async function deferChange(ports: ChangePorts, context: ChangeContext, change: MessageChange): Promise<PendingChange> {
  const { conversationId, messageId, now } = context;
  if ("edit" in change) return ports.pendingChanges.edit(conversationId, messageId, change.edit, now);
  if ("reaction" in change) return ports.pendingChanges.react(conversationId, messageId, change.reaction, now);
  for (let reactions: readonly Reaction[] = []; ; ) {
    const unsend = { at: change.unsentAt, reactions };
    const pending = await ports.pendingChanges.unsend(conversationId, messageId, unsend, now);
    if (pending.unsentAt !== null) return pending;
    reactions = pending.reactions;
    await deleteReactionEvents(ports, context, reactions);
  }
}

/**
 * Removes what the changes of a message have left that arrived before it: the message is dropped or removed because it is
 * from before an erasure. Runs after the message has its mark: either this finds a change, or the change finds the mark.
 */
export async function removePending(
  ports: Pick<ChangePorts, "pendingChanges" | "eventBodies">,
  { account, conversationId, messageId }: Pick<ChangeContext, "account" | "conversationId" | "messageId">,
): Promise<void> {
  const pending = await ports.pendingChanges.get(conversationId, messageId);
  if (!pending) return;
  const changeNames = [
    ...editNames(messageId, pending.edit?.count ?? 0),
    ...pending.reactions.map((reaction) => reactionKey(messageId, reaction)),
    unsendKey(messageId),
  ];
  await ports.eventBodies.removeChanges(account.tenant, conversationId, { changeNames });
  await ports.pendingChanges.remove(conversationId, messageId);
}

function toChanges({ unsentAt, edit, reactions }: PendingChange): MessageChange[] {
  if (unsentAt !== null) return [{ unsentAt, edits: edit?.count ?? 0 }];
  return [...(edit ? [{ edit }] : []), ...reactions.map((reaction) => ({ reaction }))];
}

/** @returns the message after the change; null when it no longer exists */
async function changeStoredMessage(
  ports: ChangePorts,
  context: ChangeContext,
  ref: MessageRef,
  change: MessageChange,
): Promise<Message | null> {
  const { tenant } = context.account;
  // The head shows no reactions.
  if ("reaction" in change) return ports.messageChanges.react(tenant, ref, change.reaction);
  const message =
    "edit" in change
      ? await ports.messageChanges.edit(tenant, ref, change.edit)
      : await unsendStoredMessage(ports, context, ref, change.unsentAt);
  if (!message) return null;
  await refreshHead(ports, context, message);
  if (message.unsentAt !== undefined)
    await deleteEditEvents(ports, context, Math.max(message.edit?.count ?? 0, editCount(change)));
  return message;
}

/** Deletes the events of the reactions first: once the row is empty, nothing refers to them. */
async function unsendStoredMessage(
  ports: ChangePorts,
  context: ChangeContext,
  ref: MessageRef,
  at: Millis,
): Promise<Message | null> {
  for (let reactions: readonly Reaction[] = []; ; ) {
    const message = await ports.messageChanges.unsend(context.account.tenant, ref, { at, reactions });
    if (!message || message.unsentAt !== undefined) return message;
    reactions = message.lastReactions ?? [];
    await deleteReactionEvents(ports, context, reactions);
  }
}

/** The reactions to an unsent message are not delivered again. */
async function deleteReactionEvents(
  ports: ChangePorts,
  { account, conversationId, messageId }: ChangeContext,
  reactions: readonly Reaction[],
): Promise<void> {
  const names = reactions.map((reaction) => reactionKey(messageId, reaction));
  await ports.eventBodies.deleteBodies(account.tenant, conversationId, names);
}

/** The ingest of the message may not have advanced the head yet. Then this does, with the message as it is now. */
async function refreshHead(ports: ChangePorts, { account, erasure }: ChangeContext, message: Message): Promise<void> {
  if (message.scope === "test" || erasure.covers(message.sentAt)) return;
  if (await ports.conversations.refreshPreview(message)) return;
  await ports.conversations.advanceHead(account.tenant, message, {
    accountHandle: account.handle,
    shards: account.shards,
    erasedAt: erasure.erasedAt,
  });
  await ports.conversations.refreshPreview(message);
}

/** No version of an unsent message is delivered again. */
async function deleteEditEvents(
  ports: ChangePorts,
  { account, conversationId, messageId }: ChangeContext,
  count: number,
): Promise<void> {
  if (count === 0) return;
  await ports.eventBodies.deleteBodies(account.tenant, conversationId, editNames(messageId, count));
}

/** The newest edits of a message. @param count how many edits it has */
function editNames(messageId: string, count: number): string[] {
  const length = Math.min(count, EDITS_DELETED_MAX);
  return Array.from({ length }, (_, i) => editKey(messageId, count - i));
}

function editCount(change: MessageChange): number {
  if ("reaction" in change) return 0;
  return "edit" in change ? change.edit.count : change.edits;
}
