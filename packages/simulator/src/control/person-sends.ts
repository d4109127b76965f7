import type { Context } from "../calls/context.ts";
import { type Fields, optionalBoolean, optionalEnum, optionalString } from "../http/fields.ts";
import { toOutgoingEvent } from "../webhooks/outgoing.ts";
import { personEvent, personKinds } from "./person-events.ts";
import { type PublishedEvent, publishEvent } from "./publish.ts";
import { findOrAddPerson, parseAttachments, parseTime, requireAccount } from "./targets.ts";

/** Performs an action as a person. Answers after the first attempt of the webhook. */
export async function handlePersonAction(
  context: Context,
  fields: Fields,
): Promise<PublishedEvent & { person: string }> {
  const { world } = context;
  const account = requireAccount(world, fields);
  const person = findOrAddPerson(world, account, optionalString(fields, "person"));
  const thread = world.thread(account, person);
  const action = {
    kind: optionalEnum(fields, "kind", personKinds) ?? "text",
    text: optionalString(fields, "text"),
    attachments: parseAttachments(fields, context.url()),
    mid: optionalString(fields, "mid"),
    replyTo: optionalString(fields, "reply_to"),
    emoji: optionalString(fields, "emoji"),
    payload: optionalString(fields, "payload"),
    adId: optionalString(fields, "ad_id"),
    byAccount: optionalBoolean(fields, "by_account") ?? false,
    at: parseTime(world, thread, fields),
    mediaUrl: `${context.url()}/media`,
  };
  const event = personEvent({ world, account, person, thread, action });
  const origin = { account, person, kind: event.kind, mid: event.mid ?? action.mid ?? null };
  return { ...(await publishEvent(context, origin, toOutgoingEvent(account, person, event))), person: person.id };
}
