import { eventUlidOf, renderFailedMessage } from "../../domain/events/events.ts";
import { writeEvent } from "../../queues/messages.ts";
import type { SendPorts } from "../ports.ts";
import { type Attempt, messageOf } from "./send-attempt.ts";

/**
 * Announces that a send did not go out, or that nobody knows whether it did. Safe to repeat: it is the same event.
 * @param detail the platform's words, or `outcome_unknown`
 * @param repeated it may have been announced before
 */
export async function tellFailure(
  ports: Pick<SendPorts, "eventBodies" | "events">,
  attempt: Attempt,
  detail: string,
  { repeated }: { repeated: boolean },
): Promise<void> {
  const { tenant, head, send, begunAt } = attempt;
  const type = "message.failed";
  const minted = eventUlidOf(tenant, send.id, type, begunAt);
  // By this erasing finds the body, which holds what was to be sent.
  const eventUlid = await ports.eventBodies.note(head.id, JSON.stringify([send.id, "failed"]), minted, begunAt);
  const message = { ...messageOf(attempt, ""), eventUlid };
  await ports.eventBodies.keep(tenant, renderFailedMessage(tenant, message, detail));
  const test = send.scope === "test";
  await ports.events.send({
    body: writeEvent({ tenant, eventUlid, type, source: null, repeated, test }),
    group: tenant,
  });
}
