import { deriveEventUlid } from "../../domain/events/events.ts";
import { renderMessageFailed } from "../../events/message-failed.ts";
import { encodeEvent } from "../../queues/messages.ts";
import type { SendPorts } from "./ports.ts";
import { outboundMessage, type SendAttempt } from "./send-attempt.ts";

/**
 * Announces that a send did not go out, or that nobody knows whether it did. Safe to repeat: it is the same event.
 * @param detail the platform's words, or `outcome_unknown`
 * @param repeated it may have been announced before
 */
export async function publishSendFailed(
  ports: Pick<SendPorts, "eventBodies" | "events">,
  attempt: SendAttempt,
  detail: string,
  { repeated }: { repeated: boolean },
): Promise<void> {
  const { tenant, head, send, startedAt } = attempt;
  const type = "message.failed";
  const candidateUlid = deriveEventUlid(tenant, send.id, type, startedAt);
  // By this erasing finds the body, which holds what was to be sent.
  const eventUlid = await ports.eventBodies.recordRef(
    head.id,
    JSON.stringify([send.id, "failed"]),
    candidateUlid,
    startedAt,
  );
  const message = { ...outboundMessage(attempt, ""), eventUlid };
  await ports.eventBodies.save(tenant, renderMessageFailed(tenant, message, detail));
  const test = send.scope === "test";
  await ports.events.send({
    body: encodeEvent({ tenant, eventUlid, type, source: null, repeated, test }),
    group: tenant,
  });
}
