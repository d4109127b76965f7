import { deriveEventUlid, messageEventType } from "../../domain/events/events.ts";
import { conversationId } from "../../domain/inbox/conversations.ts";
import type { Message } from "../../domain/inbox/messages.ts";
import type { MessageUpdate } from "../../domain/inbox/updates.ts";
import { RETENTION } from "../../domain/limits.ts";
import { echoSentVia } from "../../domain/sending/sends.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { ConversationSnapshot } from "../../stores/inbox/conversations.ts";
import { conversationErasure, undoLateWrite } from "../erasure/late-writes.ts";
import { countMessage } from "../stats/count.ts";
import { type Effects, requestProfile } from "./effects.ts";
import { messageEvent } from "./message-event.ts";
import { applyPending, hasPendingChange } from "./pending-changes.ts";
import type { IngestPorts } from "./ports.ts";
import { reconcileEcho } from "./reconcile-echo.ts";
import type { ResolvedAccount } from "./resolve-account.ts";

/**
 * Stores one message in either direction, advances its conversation's head and publishes its event.
 * @param snapshot of the conversation, read just before
 */
export async function ingestMessage(
  ports: IngestPorts,
  account: ResolvedAccount,
  update: MessageUpdate,
  snapshot: ConversationSnapshot,
  effects: Effects,
  now: Millis,
): Promise<void> {
  if (update.at <= now - RETENTION) return;
  const message = toMessage(update, account.tenant, snapshot, now);
  const erasure = await conversationErasure(ports, account, message.conversationId, snapshot, now);
  if (await erasure.coversMessage(update)) return;
  const record = update.echo
    ? await reconcileEcho(ports, account.tenant, message, update.echo, now, account.shards)
    : await ports.messages.record(account.tenant, message, now, account.shards);
  if (record.isNew && record.message.direction !== "outbound") countMessage(effects.tally, account.tenant);
  const advance = await ports.conversations.advanceHead(account.tenant, record.message, {
    accountHandle: account.handle,
    shards: account.shards,
    erasedAt: erasure.erasedAt,
    expiredPictureEndsAt:
      snapshot.pictureEndsAt !== null && snapshot.pictureEndsAt <= now ? snapshot.pictureEndsAt : null,
  });
  if (await undoLateWrite(ports, account.tenant, record, advance)) return;
  const hasPending = hasPendingChange(message.id, snapshot, advance.snapshot);
  const context = {
    account,
    conversationId: message.conversationId,
    messageId: message.id,
    erasure,
  };
  // Even where the row is unsent already: the run that emptied it may have died before it updated the head.
  const isUnsent = hasPending && (await applyPending(ports, context, record.ref));
  if (!isUnsent && !record.message.unsent) effects.events.push(messageEvent(account.tenant, record));
  requestProfile(effects, account.tenant, record.message, advance.snapshot, now);
}

function toMessage(update: MessageUpdate, tenant: TenantId, snapshot: ConversationSnapshot, now: Millis): Message {
  const draft = {
    id: update.messageId,
    conversationId: conversationId({ tenant, account: update.account, participantId: update.participantId }),
    account: update.account,
    participant: { id: update.participantId, handle: snapshot.handle, username: snapshot.username },
    direction: update.echo ? "echo" : "inbound",
    text: update.text,
    attachments: update.attachments,
    sentAt: update.at,
    sentVia: update.echo ? echoSentVia(update.echo.appId) : "participant",
    actorId: null,
    replyTo: update.replyTo,
    scope: "live",
  } as const;
  return { ...draft, eventUlid: deriveEventUlid(tenant, draft.id, messageEventType(draft), now) };
}
