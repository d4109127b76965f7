import type { Context } from "../calls/context.ts";
import {
  BadInput,
  type Fields,
  optionalBoolean,
  optionalEnum,
  optionalInteger,
  optionalString,
} from "../http/fields.ts";
import { echoEvent, toAccountEvent } from "../webhooks/outgoing.ts";
import { endSubscription, subscribe } from "../webhooks/subscription-health.ts";
import { defaultSubscription } from "../world/seed.ts";
import { type PublishedEvent, publishEvent } from "./publish.ts";
import { findOrAddPerson, parseAttachments, parseTime, requireAccount } from "./targets.ts";

/** The Page inbox, the app in which a business answers by hand. */
const pageInboxAppId = 26_390_203_743_090;

/**
 * Sends a message as the business in the platform's own app. The app of the developer gets an echo only.
 * Fields: `account, connection?, person?, text?, attachments?, reply_to?, at?`.
 */
export async function sendAsAccount(context: Context, fields: Fields): Promise<PublishedEvent & { person: string }> {
  const { world } = context;
  const account = requireAccount(world, fields);
  const attachments = parseAttachments(fields, context.url());
  const text = optionalString(fields, "text") ?? null;
  if (text === null && attachments.length === 0)
    throw new BadInput("text is missing: set the text that the account writes");
  const person = findOrAddPerson(world, account, optionalString(fields, "person"));
  const replyTo = optionalString(fields, "reply_to") ?? null;
  const thread = world.thread(account, person);
  const message = world.addMessage(account, thread, {
    from: "account",
    at: parseTime(world, thread, fields),
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

/**
 * Subscribes the app to an account again, to the same fields as at the start, or with `subscribed: false` ends the
 * subscription as the platform does. Fields: `account, connection?, subscribed?`.
 */
export async function setSubscription({ world }: Context, fields: Fields): Promise<{ node: string; fields: string[] }> {
  const account = requireAccount(world, fields);
  const node = account.pageId ?? account.externalId;
  if (optionalBoolean(fields, "subscribed") === false) endSubscription(world, node);
  else subscribe(world, node, defaultSubscription(account));
  await world.save();
  return { node, fields: world.state.subscriptions[node] ?? [] };
}

const minutesMax = 60 * 24 * 365;

/** Restricts an account from sending for a time; 0 minutes end it. Fields: `account, connection?, minutes`. */
export async function restrict({ world }: Context, fields: Fields): Promise<{ restricted_until: number | null }> {
  const account = requireAccount(world, fields);
  const minutes = optionalInteger(fields, "minutes", 0, minutesMax) ?? 60;
  const { restricted } = world.state;
  if (minutes === 0) delete restricted[account.key];
  else restricted[account.key] = world.now() + minutes * 60_000;
  await world.save();
  return { restricted_until: restricted[account.key] ?? null };
}
