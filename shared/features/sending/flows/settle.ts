import { deriveEventUlid } from "#base/events/events.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type AccountCall, applyAccountRefusal, endAccountRestriction } from "#features/accounts/platform-calls.ts";
import type { RefusalPorts, RestrictionPorts } from "#features/accounts/ports.ts";
import { encodeEvent, messageEvent } from "#features/delivery/event-queue.ts";
import { markErasedSend, undoErasedSend, undoLateWrite } from "#features/erasure/late-writes.ts";
import { renderMessageFailed } from "#features/inbox/events/message.ts";
import type { ConversationHead, Message } from "#features/inbox/rules/messages.ts";
import type { RecordedMessage } from "#features/inbox/store/messages.ts";
import type { SettlePorts } from "../ports.ts";
import { contentAttachments, contentText, type SendContent } from "../rules/send-content.ts";
import type { NewSend, SendFailure } from "../rules/sends.ts";

// What follows from the outcome of a send. The process that called the platform and the sweep run the same functions,
// so each is safe to repeat.

/** A started send, with everything that its message and its events need. */
export interface SendAttempt {
  readonly tenant: TenantId;
  readonly head: ConversationHead;
  readonly send: NewSend;
  readonly content: SendContent;
  readonly startedAt: Millis;
  /** The number of shards of the tenant's feeds. */
  readonly shards: number;
}

type CompletePorts = Pick<
  SettlePorts,
  "sendRecords" | "outboundMessages" | "conversations" | "events" | "erasures" | "messages"
>;

/** Completes an accepted send: settles its record, stores the message, updates the inbox and publishes the event. */
export async function completeSend(ports: CompletePorts, attempt: SendAttempt, messageId: string): Promise<void> {
  const { tenant, head, send, startedAt, shards } = attempt;
  const message = outboundMessage(attempt, messageId);
  // The record is settled first: a stored message never has an unsettled send.
  const settling = await ports.sendRecords.settleSend(head.id, send.id, { state: "sent", messageId });
  // Without a record the conversation was erased, and the message must not be stored.
  if (settling === "gone") return markErasedSend(ports, tenant, message);
  const record = await ports.outboundMessages.record(tenant, message, startedAt, { shards, sendId: send.id });
  if (settling === "settled_before" && record.isNew && (await undoErasedEcho(ports, attempt, record))) return;
  const inbox = { accountHandle: head.accountHandle, shards };
  // A test message reaches no one, so it does not change the conversation's head.
  let answersSince: Millis | null = null;
  if (send.scope === "live") {
    const advance = await ports.conversations.advanceHead(tenant, record.message, { ...inbox, mayStart: false });
    answersSince = advance.answersSince;
    if (!advance.started) {
      // An erasure removed the message, and this process stored it again: its event names what is gone.
      if (await undoLateWrite(ports, tenant, record, advance)) return;
    } else {
      // A reply starts no conversation. This one is erased, and the erasure is over; or it has expired just now.
      if (await undoErasedSend(ports, tenant, record)) return;
      await ports.conversations.advanceHead(tenant, record.message, inbox);
    }
  }
  await ports.events.send(messageEvent(tenant, record, { answersSince }));
}

/**
 * Undoes the message of a send that its echo had settled, if an erasure removed what the echo had stored. If the clock of
 * the send's process is ahead, the send itself looks newer than the erasure. Runs before the head shows the message.
 * @returns whether the message was removed
 */
async function undoErasedEcho(
  ports: CompletePorts,
  { tenant, head, send }: SendAttempt,
  record: RecordedMessage,
): Promise<boolean> {
  const { echoAt } = (await ports.sendRecords.get(head.id, send.id)) ?? {};
  return echoAt !== undefined && undoErasedSend(ports, tenant, record, echoAt);
}

type FailurePorts = RefusalPorts & {
  readonly accounts: Pick<SettlePorts["accounts"], "recordHumanAgentRefusal">;
  readonly budgets: Pick<SettlePorts["budgets"], "pauseHumanAgent">;
};

/** Applies the effects of a platform's refusal to later sends: account status, pauses, human agent refusals. */
export async function applySendFailure(ports: FailurePorts, attempt: SendAttempt, failure: SendFailure): Promise<void> {
  const { tenant, head } = attempt;
  const { humanAgentPauseMs, humanAgentRefused, at } = failure;
  await allDone([
    applyAccountRefusal(ports, toAccountCall(attempt), failure),
    humanAgentPauseMs === null ? null : ports.budgets.pauseHumanAgent(head.id, at + humanAgentPauseMs),
    humanAgentRefused ? ports.accounts.recordHumanAgentRefusal(tenant, head.ref.account, at) : null,
  ]);
}

/** Ends a restriction of the account that an earlier refusal reported, and publishes it once. */
export async function endSendRestriction(ports: RestrictionPorts, attempt: SendAttempt): Promise<void> {
  // A test send never reached the platform.
  if (attempt.send.scope === "live") await endAccountRestriction(ports, toAccountCall(attempt));
}

function toAccountCall({ tenant, head, send, startedAt }: SendAttempt): AccountCall {
  return { tenant, account: head.ref.account, id: send.id, startedAt, asOf: startedAt };
}

/**
 * Publishes `message.failed` for a send that failed or whose outcome is unknown, unless its conversation was erased. A
 * repetition publishes the same event.
 * @param detail the platform's error text, or `outcome_unknown`
 * @param repeated whether the event may have been published before
 */
export async function publishSendFailed(
  ports: Pick<SettlePorts, "eventBodies" | "events">,
  attempt: SendAttempt,
  detail: string,
  { repeated }: { repeated: boolean },
): Promise<void> {
  const { tenant, head, send, startedAt } = attempt;
  const type = "message.failed";
  const candidateUlid = deriveEventUlid(tenant, send.id, type, startedAt);
  const message = { ...outboundMessage(attempt, ""), eventUlid: candidateUlid };
  // The reference lets an erasure find the event's body, which contains the message.
  const eventUlid = await ports.eventBodies.saveSendFailed(tenant, head.id, {
    sendId: send.id,
    changeName: JSON.stringify([send.id, "failed"]),
    changedAt: startedAt,
    event: renderMessageFailed(tenant, message, detail),
  });
  if (eventUlid === null) return;
  const test = send.scope === "test";
  await ports.events.send({
    body: encodeEvent({ tenant, eventUlid, type, source: null, repeated, test }),
    group: tenant,
  });
}

/** The message of a send. @param id the platform's id; empty for a send that failed */
function outboundMessage({ tenant, head, send, content, startedAt }: SendAttempt, id: string): Message {
  const { via: sentVia, actorId, replyTo, holdId, scope } = send;
  return {
    id,
    conversationId: head.id,
    account: head.ref.account,
    participant: {
      id: head.ref.participantId,
      handle: head.participantHandle,
      username: head.participantUsername,
      name: head.participantName,
    },
    direction: "outbound",
    text: contentText(content),
    attachments: contentAttachments(content),
    sentAt: startedAt,
    sentVia,
    actorId,
    replyTo,
    ...(holdId === null ? {} : { holdId }),
    scope,
    eventUlid: deriveEventUlid(tenant, id, "message.sent", startedAt),
  };
}
