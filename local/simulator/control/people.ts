import type { Context } from "../graph/context.ts";
import {
  BadInput,
  type Fields,
  isFields,
  optionalBoolean,
  optionalEnum,
  optionalString,
  requiredString,
} from "../http/fields.ts";
import { isSubscribed, toOutgoingEvent } from "../webhooks/outgoing.ts";
import { type Account, type Attachment, connections, type Person, type WebhookStatus } from "../world/model.ts";
import type { World } from "../world/world.ts";
import { personEvent, personKinds } from "./person-events.ts";

/** The account that a control request names; `connection` selects one if two share an id. Throws BadInput. */
function requireAccount(world: World, fields: Fields): Account {
  const id = requiredString(fields, "account");
  const connection = optionalEnum(fields, "connection", connections);
  const matches = world.state.accounts.filter(
    (account) => account.externalId === id && (connection === undefined || account.connection === connection),
  );
  if (matches.length > 1) throw new BadInput(`account ${id} is connected twice: set connection too`);
  const [account] = matches;
  if (account === undefined) {
    const accountList = world.state.accounts.map((one) => `${one.externalId} (${one.connection})`).join(", ");
    throw new BadInput(`there is no account ${id}; accounts: ${accountList === "" ? "none" : accountList}`);
  }
  return account;
}

/** Finds a person by id or name, or creates one. Without either, returns the account's first person. */
function findOrAddPerson(world: World, account: Account, idOrName: string | undefined): Person {
  const people = world.state.people.filter((person) => person.account === account.key);
  if (idOrName === undefined) return people[0] ?? world.addPerson(account, "Robin Vale");
  if (idOrName.trim() === "") throw new BadInput("person must be an id or a name");
  const existing = people.find((person) => person.id === idOrName || person.name === idOrName);
  if (existing !== undefined) return existing;
  return /^\d{5,30}$/.test(idOrName)
    ? world.addPerson(account, "Robin Vale", idOrName)
    : world.addPerson(account, idOrName);
}

/**
 * Adds or edits a person.
 * Fields: `account, connection?, person?, name?, username?, blocked?, profile?, nameless?, picture?`.
 */
export async function editPerson(context: Context, fields: Fields): Promise<Person> {
  const { world } = context;
  const account = requireAccount(world, fields);
  const name = optionalString(fields, "name");
  const username = optionalString(fields, "username");
  const blocked = optionalBoolean(fields, "blocked");
  const profile = optionalBoolean(fields, "profile");
  const nameless = optionalBoolean(fields, "nameless");
  const picture = optionalBoolean(fields, "picture");
  const person = findOrAddPerson(world, account, optionalString(fields, "person") ?? name);
  if (name !== undefined) person.name = name;
  if (username !== undefined) person.username = username;
  if (blocked !== undefined) person.blocked = blocked;
  if (profile !== undefined) person.profile = profile;
  if (nameless !== undefined) person.nameless = nameless;
  if (picture !== undefined) person.picture = picture;
  await world.save();
  return person;
}

function parseAttachments(fields: Fields): Attachment[] {
  const attachments = fields.attachments ?? [];
  if (!Array.isArray(attachments)) throw new BadInput("attachments must be a list of {type, url}");
  return attachments.map((one: unknown) => {
    if (!isFields(one)) throw new BadInput("attachments must be a list of {type, url}");
    const url = optionalString(one, "url");
    return { type: requiredString(one, "type"), ...(url === undefined ? {} : { payload: { url } }) };
  });
}

/** Performs an action as a person. Answers after the first attempt of the webhook. */
export async function handlePersonAction(
  context: Context,
  fields: Fields,
): Promise<{ mid: string | null; person: string; status_of_webhook: WebhookStatus; problem?: string }> {
  const { world, deliveries } = context;
  const account = requireAccount(world, fields);
  const attachments = parseAttachments(fields);
  const kind = optionalEnum(fields, "kind", personKinds) ?? "text";
  const action = {
    kind,
    text: optionalString(fields, "text"),
    attachments,
    mid: optionalString(fields, "mid"),
    replyTo: optionalString(fields, "reply_to"),
    emoji: optionalString(fields, "emoji"),
    payload: optionalString(fields, "payload"),
    adId: optionalString(fields, "ad_id"),
    byAccount: optionalBoolean(fields, "by_account") ?? false,
    mediaUrl: `${context.url()}/media`,
  };
  const person = findOrAddPerson(world, account, optionalString(fields, "person"));
  const thread = world.thread(account, person);
  const event = personEvent({ world, account, person, thread, action });
  const mid = event.mid ?? action.mid ?? null;
  if (!isSubscribed(world, account, event.kind)) {
    if (event.mid !== null) world.setWebhookStatus([event.mid], "not_subscribed");
    await world.save();
    return { mid, person: person.id, status_of_webhook: "not_subscribed" };
  }
  if (event.mid !== null) world.setWebhookStatus([event.mid], "waiting");
  const outcome = await deliveries.enqueue(toOutgoingEvent(account, person, event));
  if (outcome === 200) return { mid, person: person.id, status_of_webhook: "delivered" };
  const problem = outcome === null ? "waiting for the batch to fill" : `the webhook's receiver: ${outcome}`;
  return { mid, person: person.id, status_of_webhook: "waiting", problem };
}
