import { deriveEventUlid } from "#base/events/events.ts";
import { recordUnlessErased } from "#features/erasure/late-writes.ts";
import { publishStoredEvent } from "../effects.ts";
import { renderReferralReceived } from "../events/referral-received.ts";
import type { IngestPorts } from "../ports.ts";
import { conversationId as idOfConversation } from "../rules/messages.ts";
import type { ReferralUpdate } from "../rules/updates.ts";
import type { UpdateContext } from "./update-context.ts";

/**
 * Publishes a referral that came without a message, once. It stores no message and changes no head. An erasure of the
 * conversation finds its event by the reference.
 */
export async function publishReferral(
  ports: Pick<IngestPorts, "eventBodies" | "erasures" | "messageChanges">,
  update: ReferralUpdate,
  context: UpdateContext,
): Promise<void> {
  const { account, snapshot, effects, now } = context;
  const { tenant } = account;
  const conversationId = idOfConversation({ ...update, tenant });
  const type = "referral.received";
  const record = async () => {
    const { at, referral } = update;
    const changeName = referralKey(update);
    const candidateUlid = deriveEventUlid(tenant, `${conversationId} ${changeName}`, type, now);
    const ref = { changeName, eventUlid: candidateUlid, changedAt: at };
    const eventUlid = await ports.eventBodies.recordRef(conversationId, ref, now);
    const { handle, username, name } = snapshot;
    const participant = { id: update.participantId, handle, username, name };
    const referralDetails = { conversationId, account: update.account, participant, referral, at };
    await ports.eventBodies.save(tenant, renderReferralReceived(tenant, eventUlid, referralDetails));
    return { eventUlid };
  };
  const result = await recordUnlessErased(ports, update, { ...context, conversationId }, { record });
  if (result !== "erased") publishStoredEvent(effects, { tenant, type, eventUlid: result.eventUlid });
}

/** Identifies a referral within its conversation. A redelivered one has the same key. */
function referralKey({ at, referral: { ref, source, type, adId } }: ReferralUpdate): string {
  return JSON.stringify(["referral", at, ref, source, type, adId]);
}
