import type { Context } from "../calls/context.ts";
import { BadInput, type Fields, optionalEnum, optionalString } from "../http/fields.ts";
import { echoEvent, toAccountEvent } from "../webhooks/outgoing.ts";
import { subscribe } from "../webhooks/subscription-health.ts";
import { defaultSubscription } from "../world/seed.ts";
import { type PublishedEvent, publishEvent } from "./publish.ts";
import { findOrAddPerson, parseAttachments, requireAccount } from "./targets.ts";

/** The Page inbox, the app in which a business answers by hand. */
const pageInboxAppId = 26_390_203_743_090;

/**
 * Sends a message as the business in the platform's own app. The app of the developer gets an echo only.
 * Fields: `account, connection?, person?, text?, attachments?, reply_to?`.
 */
export async function sendAsAccount(context: Context, fields: Fields): Promise<PublishedEvent & { person: string }> {
  const { world } = context;
  const account = requireAccount(world, fields);
  const attachments = parseAttachments(fields);
  const text = optionalString(fields, "text") ?? null;
  if (text === null && attachments.length === 0)
    throw new BadInput("text is missing: set the text that the account writes");
  const person = findOrAddPerson(world, account, optionalString(fields, "person"));
  const replyTo = optionalString(fields, "reply_to") ?? null;
  const message = world.addMessage(account, world.thread(account, person), {
    from: "account",
    text,
    attachments,
    replyTo,
    note: "Sent in the app",
  });
  const event = echoEvent(account, person, { message, appId: pageInboxAppId });
  const origin = { account, person, kind: "echo", mid: message.mid } as const;
  return { ...(await publishEvent(context, origin, event)), person: person.id };
}

/** Sends a policy event of the account. Fields: `account, connection?, action, reason?`. */
export async function sendPolicy(context: Context, fields: Fields): Promise<PublishedEvent> {
  const { world } = context;
  const account = requireAccount(world, fields);
  const action = optionalEnum(fields, "action", ["warning", "block", "unblock"]);
  if (action === undefined) throw new BadInput("action must be one of warning, block, unblock");
  const reason = optionalString(fields, "reason") ?? "The account violated the messaging policy.";
  const event = toAccountEvent(account, {
    at: world.now(),
    content: { policy_enforcement: action === "unblock" ? { action } : { action, reason } },
  });
  return publishEvent(context, { account, person: null, kind: "policy", mid: null }, event);
}

/** Subscribes the app to an account again, to the same fields as at the start. Fields: `account, connection?`. */
export async function subscribeAgain({ world }: Context, fields: Fields): Promise<{ node: string; fields: string[] }> {
  const account = requireAccount(world, fields);
  const node = account.pageId ?? account.externalId;
  subscribe(world, node, defaultSubscription(account));
  await world.save();
  return { node, fields: defaultSubscription(account) };
}
