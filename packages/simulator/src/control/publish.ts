import type { Context } from "../calls/context.ts";
import { type EventKind, isSubscribed } from "../webhooks/outgoing.ts";
import type { Account, OutgoingEvent, Person, WebhookStatus } from "../world/model.ts";

/** The answer of a control route that sends an event. */
export interface PublishedEvent {
  /** The message that the event is about; null if it is about none. */
  mid: string | null;
  status_of_webhook: WebhookStatus;
  /** The id of the webhook in the log; null if none was sent or the batch is not full. */
  webhook: string | null;
  /** Why the webhook waits. */
  problem?: string;
}

/** Where an event comes from, and the message that it is about. */
export interface EventOrigin {
  account: Account;
  /** Null for events of the account itself. */
  person: Person | null;
  kind: EventKind;
  mid: string | null;
}

/** Sends an event if the app is subscribed to it. Resolves after the first attempt of its webhook. */
export async function publishEvent(
  { world, deliveries }: Context,
  { account, person, kind, mid }: EventOrigin,
  event: OutgoingEvent,
): Promise<PublishedEvent> {
  const ownMids = event.mid === null ? [] : [event.mid];
  if (!isSubscribed(world, account, { kind, standby: person?.standby === true })) {
    world.setWebhookStatus(ownMids, "not_subscribed");
    await world.save();
    return { mid, status_of_webhook: "not_subscribed", webhook: null };
  }
  world.setWebhookStatus(ownMids, "waiting");
  const { id, outcome } = deliveries.enqueue(event);
  const answer = await outcome;
  if (answer === 200) return { mid, status_of_webhook: "delivered", webhook: id };
  const problem = answer === null ? "waiting for the batch to fill" : `the webhook's receiver: ${answer}`;
  return { mid, status_of_webhook: "waiting", webhook: id, problem };
}
