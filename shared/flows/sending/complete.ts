import { erasedSince, markErasedSend, namesAsBefore, takeBack } from "../erasure/late-writes.ts";
import { announcementOf } from "../inbox/message-event.ts";
import type { SendPorts } from "../ports.ts";
import { type Attempt, messageOf } from "./send-attempt.ts";

type KeepPorts = Pick<
  SendPorts,
  "sendRecords" | "outboundMessages" | "conversations" | "events" | "erasures" | "messages"
>;

/** The person has it: it is settled, kept, shows in the inbox, and is announced. Safe to repeat. */
export async function keepSent(ports: KeepPorts, attempt: Attempt, messageId: string): Promise<void> {
  const { tenant, head, send, begunAt, shards } = attempt;
  // First of all, so that no later death leaves a send unsettled whose message is already kept.
  const stands = await ports.sendRecords.settle(head.id, send.id, { state: "sent", messageId });
  // The conversation was erased meanwhile, and nothing from before that is kept.
  if (!stands) return markErasedSend(ports, tenant, messageOf(attempt, messageId));
  const kept = await ports.outboundMessages.record(tenant, messageOf(attempt, messageId), begunAt, shards);
  const [applied] = await Promise.all([
    // What a test key sends reached nobody: it leaves the conversation's head as it was.
    send.scope === "live"
      ? ports.conversations.apply(tenant, kept.message, { accountHandle: head.accountHandle, shards })
      : null,
    ports.events.send(announcementOf(tenant, kept)),
  ]);
  if (!applied) return;
  const erasedAt = erasedSince(kept, applied);
  if (erasedAt !== null) await takeBack(ports, tenant, kept, erasedAt);
  else if (namesAsBefore(kept, applied)) await ports.messages.forgetPerson(kept.ref);
}
