import { deriveEventUlid, messageEventType } from "#base/events/events.ts";
import { messageEvent } from "#features/delivery/event-queue.ts";
import {
  type ConversationErasure,
  recordUnlessErased,
  undoLateWrite,
  undoRemovedEcho,
} from "#features/erasure/late-writes.ts";
import { echoSentVia } from "#features/sending/rules/sends.ts";
import { countMessage } from "#features/stats/count.ts";
import { requestProfile } from "../effects.ts";
import type { IngestPorts } from "../ports.ts";
import { hasRetentionEnded, conversationId as idOfConversation, isLate, type Message } from "../rules/messages.ts";
import { isNameAwaited } from "../rules/profiles.ts";
import type { MessageUpdate } from "../rules/updates.ts";
import type { HeadAdvance } from "../store/conversations.ts";
import type { RecordedMessage } from "../store/messages.ts";
import { applyPending, hasPendingChange, removePending } from "./pending-changes.ts";
import { isOfSettledSend, reconcileEcho } from "./reconcile-echo.ts";
import type { UpdateContext } from "./update-context.ts";

/** Stores one message in either direction, advances its conversation's head and publishes its event. */
export async function ingestMessage(ports: IngestPorts, update: MessageUpdate, context: UpdateContext): Promise<void> {
  const { account, snapshot, effects, now, receivedAt } = context;
  const { tenant } = account;
  const message = toMessage(update, context);
  const { id: messageId, conversationId } = message;
  const result = await recordUnlessErased(
    ports,
    update,
    { ...context, conversationId },
    {
      onDrop: (erasure) => erasure.markDropped(message),
      record: (erasure) => storeMessage(ports, { update, message, erasure, context }),
    },
  );
  if (result === "erased") return removePending(ports, { account, conversationId, messageId });
  if (result === "ended" || result === "settled") return;
  const { record, advance, erasure } = result;
  // The head that named the change may have ended since, because a change does not extend its life.
  const mayBePending = advance.started && isLate(record.message.sentAt, now);
  const hasPending = mayBePending || hasPendingChange(messageId, snapshot, advance.snapshot);
  const changeContext = { account, conversationId, messageId, erasure, now };
  // Even where the row is unsent already: the run that emptied it may have died before it updated the head.
  const isUnsent = hasPending && (await applyPending(ports, changeContext, record.ref));
  if (!isUnsent && record.message.unsentAt === undefined) {
    effects.events.push(messageEvent(tenant, record, { receivedAt, answersSince: advance.answersSince }));
  } else if (record.isNew && record.message.direction !== "outbound") {
    const { answersSince } = advance;
    const answeredAfter = answersSince === null ? null : record.message.sentAt - answersSince;
    countMessage(effects.tally, tenant, { isReceived: record.message.direction === "inbound", answeredAfter });
  }
  requestProfile(effects, { tenant, message: record.message, before: snapshot, snapshot: advance.snapshot, now });
}

/** A message that is stored, and its conversation's head with it. */
interface StoredMessage {
  readonly record: RecordedMessage;
  readonly advance: HeadAdvance;
  readonly erasure: ConversationErasure;
}

/**
 * @returns `erased` where an erasure that ran beside this removed it; `ended` where its retention has ended; `settled`
 * where it is the echo of a send that has done all of this
 */
async function storeMessage(
  ports: IngestPorts,
  {
    update,
    message,
    erasure,
    context: { account, snapshot, now },
  }: { update: MessageUpdate; message: Message; erasure: ConversationErasure; context: UpdateContext },
): Promise<StoredMessage | "erased" | "ended" | "settled"> {
  const { tenant, handle: accountHandle, shards } = account;
  // The echo applies a change that came before the message. The head that names it may have ended before a late echo.
  const mayBeSettled = update.echo !== null && !isLate(update.at, now) && !hasPendingChange(message.id, snapshot);
  if (mayBeSettled && (await isOfSettledSend(ports, message))) return "settled";
  const record = await recordMessage(ports, { update, message, account, now });
  // The marker of a repeated message may name an earlier time than the update has, such as that of its arrival.
  if (hasRetentionEnded(record.message.sentAt, now)) return "ended";
  if (await undoRemovedEcho(ports, tenant, { update, record, erasure })) return "erased";
  const { pictureEndsAt } = snapshot;
  const advance = await ports.conversations.advanceHead(tenant, record.message, {
    accountHandle,
    shards,
    erasedAt: erasure.erasedAt,
    expiredPictureEndsAt: pictureEndsAt !== null && pictureEndsAt <= now ? pictureEndsAt : null,
  });
  return (await undoLateWrite(ports, tenant, record, advance)) ? "erased" : { record, advance, erasure };
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
  // A message is stored at its time. By the marker of its id, a repeated webhook without a time finds the same row, and
  // a late one the row of the platform's history.
  return update.isArrivalTime || isLate(update.at, now)
    ? ports.outboundMessages.record(tenant, message, now, { shards })
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
    ...(update.isTextTruncated ? { isTextTruncated: true as const } : {}),
    attachments: update.attachments,
    ...(update.context ? { context: update.context } : {}),
    ...(!update.echo && isNameAwaited(snapshot, update.at) ? { nameWait: "waiting" as const } : {}),
    sentAt: update.at,
    sentVia: update.echo ? echoSentVia(update.echo.appId) : "participant",
    actorId: null,
    replyTo: update.replyTo,
    scope: "live",
  } as const;
  return { ...draft, eventUlid: deriveEventUlid(tenant, draft.id, messageEventType(draft), now) };
}
