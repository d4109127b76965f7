import { markErasedSend, undoLateWrite } from "../erasure/late-writes.ts";
import { messageEvent } from "../inbox/message-event.ts";
import type { SendPorts } from "./ports.ts";
import { outboundMessage, type SendAttempt } from "./send-attempt.ts";

type CompletePorts = Pick<
  SendPorts,
  "sendRecords" | "outboundMessages" | "conversations" | "events" | "erasures" | "messages"
>;

/** The person has it: it is settled, kept, shows in the inbox, and is announced. Safe to repeat. */
export async function completeSend(ports: CompletePorts, attempt: SendAttempt, messageId: string): Promise<void> {
  const { tenant, head, send, startedAt, shards } = attempt;
  // First of all, so that no later death leaves a send unsettled whose message is already kept.
  const recordExists = await ports.sendRecords.settle(head.id, send.id, { state: "sent", messageId });
  // The conversation was erased meanwhile, and nothing from before that is kept.
  if (!recordExists) return markErasedSend(ports, tenant, outboundMessage(attempt, messageId));
  const record = await ports.outboundMessages.record(tenant, outboundMessage(attempt, messageId), startedAt, shards);
  const [applied] = await Promise.all([
    // What a test key sends reached nobody: it leaves the conversation's head as it was.
    send.scope === "live"
      ? ports.conversations.advanceHead(tenant, record.message, { accountHandle: head.accountHandle, shards })
      : null,
    ports.events.send(messageEvent(tenant, record)),
  ]);
  if (applied) await undoLateWrite(ports, tenant, record, applied);
}
