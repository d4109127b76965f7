import { deriveEventUlid, messageEventType } from "#base/events/events.ts";
import { conversationErasure, undoLateWrite, undoRemovedEcho } from "#features/erasure/late-writes.ts";
import { echoSentVia } from "#features/sending/rules/sends.ts";
import { countMessage, uncountMessage } from "#features/stats/count.ts";
import { messageEvent, requestProfile } from "../effects.ts";
import type { IngestPorts } from "../ports.ts";
import { conversationId as idOfConversation } from "../rules/conversations.ts";
import { isLate } from "../rules/late-messages.ts";
import { hasRetentionEnded, type Message } from "../rules/messages.ts";
import type { MessageUpdate } from "../rules/updates.ts";
import type { RecordedMessage } from "../store/messages.ts";
import { applyPending, hasPendingChange, removePending } from "./pending-changes.ts";
import { reconcileEcho } from "./reconcile-echo.ts";
import type { UpdateContext } from "./update-context.ts";

/** Stores one message in either direction, advances its conversation's head and publishes its event. */
export async function ingestMessage(ports: IngestPorts, update: MessageUpdate, context: UpdateContext): Promise<void> {
  const { account, snapshot, effects, now } = context;
  if (hasRetentionEnded(update.at, now)) return;
  const message = toMessage(update, context);
  const { id: messageId, conversationId } = message;
  const erasure = await conversationErasure(ports, { ...context, conversationId });
  if (await erasure.coversMessage(update)) {
    await erasure.markDropped(message);
    return removePending(ports, { account, conversationId, messageId });
  }
  const record = await recordMessage(ports, { update, message, account, now });
  // The marker of a repeated message may name an earlier time than the update has, such as that of its arrival.
  if (hasRetentionEnded(record.message.sentAt, now)) return;
  if (await undoRemovedEcho(ports, account.tenant, { update, record, erasure }))
    return removePending(ports, { account, conversationId, messageId });
  const isCounted = record.isNew && record.message.direction !== "outbound";
  // Before the head advances: if that fails, the message is stored, and not new when the webhook is repeated.
  if (isCounted) countMessage(effects.tally, account.tenant);
  const advance = await ports.conversations.advanceHead(account.tenant, record.message, {
    accountHandle: account.handle,
    shards: account.shards,
    erasedAt: erasure.erasedAt,
    expiredPictureEndsAt:
      snapshot.pictureEndsAt !== null && snapshot.pictureEndsAt <= now ? snapshot.pictureEndsAt : null,
  });
  if (await undoLateWrite(ports, account.tenant, record, advance)) {
    if (isCounted) uncountMessage(effects.tally, account.tenant);
    return removePending(ports, { account, conversationId, messageId });
  }
  // The head that named the change may have ended since, because a change does not extend its life.
  const mayBePending = advance.started && isLate(record.message.sentAt, now);
  const hasPending = mayBePending || hasPendingChange(messageId, snapshot, advance.snapshot);
  const changeContext = { account, conversationId, messageId, erasure, now };
  // Even where the row is unsent already: the run that emptied it may have died before it updated the head.
  const isUnsent = hasPending && (await applyPending(ports, changeContext, record.ref));
  if (!isUnsent && record.message.unsentAt === undefined) effects.events.push(messageEvent(account.tenant, record));
  requestProfile(effects, {
    tenant: account.tenant,
    message: record.message,
    before: snapshot,
    snapshot: advance.snapshot,
    now,
  });
}

function recordMessage(
  ports: IngestPorts,
  {
    update,
    message,
    account,
    now,
  }: Pick<UpdateContext, "account" | "now"> & { update: MessageUpdate; message: Message },
): Promise<RecordedMessage> {
  const { tenant, shards } = account;
  if (update.echo) return reconcileEcho(ports, { account, message, origin: update.echo, now });
  // A message is stored at its time. The marker of its id leads a repeated webhook without a time to the same row, and a
  // late one to the row of the platform's history.
  return update.isArrivalTime || isLate(update.at, now)
    ? ports.outboundMessages.record(tenant, message, now, shards)
    : ports.messages.record(tenant, message, now, shards);
}

function toMessage(update: MessageUpdate, { account: { tenant }, snapshot, now }: UpdateContext): Message {
  const draft = {
    id: update.messageId,
    conversationId: idOfConversation({ ...update, tenant }),
    account: update.account,
    participant: {
      id: update.participantId,
      handle: snapshot.handle,
      username: snapshot.username,
      name: snapshot.name,
    },
    direction: update.echo ? "echo" : "inbound",
    text: update.text,
    attachments: update.attachments,
    ...(update.context ? { context: update.context } : {}),
    sentAt: update.at,
    sentVia: update.echo ? echoSentVia(update.echo.appId) : "participant",
    actorId: null,
    replyTo: update.replyTo,
    scope: "live",
  } as const;
  return { ...draft, eventUlid: deriveEventUlid(tenant, draft.id, messageEventType(draft), now) };
}
