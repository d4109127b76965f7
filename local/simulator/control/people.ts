import type { Context } from "../graph/context.ts";
import {
  BadInput,
  type Fields,
  isFields,
  optionalFlag,
  optionalText,
  optionalWord,
  requiredText,
} from "../http/fields.ts";
import { isSubscribed, outgoing } from "../webhooks/outgoing.ts";
import { type Account, type Attachment, connections, type Person, type WebhookStatus } from "../world/model.ts";
import type { World } from "../world/world.ts";
import { personEvent, personKinds } from "./person-events.ts";

/** The account a control request names; the connection decides when two share an id. Throws BadInput. */
function namedAccount(world: World, fields: Fields): Account {
  const id = requiredText(fields, "account");
  const connection = optionalWord(fields, "connection", connections);
  const found = world.state.accounts.filter(
    (account) => account.externalId === id && (connection === undefined || account.connection === connection),
  );
  if (found.length > 1) throw new BadInput(`account ${id} is connected twice: name its connection too`);
  const [account] = found;
  if (account === undefined) {
    const known = world.state.accounts.map((one) => `${one.externalId} (${one.connection})`).join(", ");
    throw new BadInput(`there is no account ${id}; known: ${known === "" ? "none" : known}`);
  }
  return account;
}

/** A person by id or name; one nobody knows yet is made. Without a name the account's first person. */
function namedPerson(world: World, account: Account, asked: string | undefined): Person {
  const people = world.state.people.filter((person) => person.account === account.key);
  if (asked === undefined) return people[0] ?? world.addPerson(account, "Robin Vale");
  if (asked.trim() === "") throw new BadInput("person must be an id or a name");
  const found = people.find((person) => person.id === asked || person.name === asked);
  if (found !== undefined) return found;
  return /^\d{5,30}$/.test(asked) ? world.addPerson(account, "Robin Vale", asked) : world.addPerson(account, asked);
}

/** Makes or changes a person: `{account, connection?, person?, name?, username?, blocked?, profile?, nameless?, picture?}`. */
export async function editPerson(context: Context, fields: Fields): Promise<Person> {
  const { world } = context;
  const account = namedAccount(world, fields);
  const name = optionalText(fields, "name");
  const username = optionalText(fields, "username");
  const blocked = optionalFlag(fields, "blocked");
  const profile = optionalFlag(fields, "profile");
  const nameless = optionalFlag(fields, "nameless");
  const picture = optionalFlag(fields, "picture");
  const person = namedPerson(world, account, optionalText(fields, "person") ?? name);
  if (name !== undefined) person.name = name;
  if (username !== undefined) person.username = username;
  if (blocked !== undefined) person.blocked = blocked;
  if (profile !== undefined) person.profile = profile;
  if (nameless !== undefined) person.nameless = nameless;
  if (picture !== undefined) person.picture = picture;
  await world.changed();
  return person;
}

function givenAttachments(fields: Fields): Attachment[] {
  const given = fields.attachments ?? [];
  if (!Array.isArray(given)) throw new BadInput("attachments must be a list of {type, url}");
  return given.map((one: unknown) => {
    if (!isFields(one)) throw new BadInput("attachments must be a list of {type, url}");
    const url = optionalText(one, "url");
    return { type: requiredText(one, "type"), ...(url === undefined ? {} : { payload: { url } }) };
  });
}

/** Lets a person do something; answers once the webhook was tried a first time. */
export async function personSends(
  context: Context,
  fields: Fields,
): Promise<{ mid: string | null; person: string; status_of_webhook: WebhookStatus; problem?: string }> {
  const { world, deliveries } = context;
  const account = namedAccount(world, fields);
  const attachments = givenAttachments(fields);
  const kind = optionalWord(fields, "kind", personKinds) ?? "text";
  const action = {
    kind,
    text: optionalText(fields, "text"),
    attachments,
    mid: optionalText(fields, "mid"),
    replyTo: optionalText(fields, "reply_to"),
    emoji: optionalText(fields, "emoji"),
    mediaUrl: `${context.url()}/media`,
  };
  const person = namedPerson(world, account, optionalText(fields, "person"));
  const thread = world.thread(account, person);
  const event = personEvent(world, account, person, thread, action);
  const mid = event.mid ?? action.mid ?? null;
  if (!isSubscribed(world, account, event.kind)) {
    if (event.mid !== null) world.setWebhookStatus([event.mid], "not_subscribed");
    await world.changed();
    return { mid, person: person.id, status_of_webhook: "not_subscribed" };
  }
  if (event.mid !== null) world.setWebhookStatus([event.mid], "waiting");
  const outcome = await deliveries.enqueue(outgoing(account, person, event.at, event.content, { mid: event.mid }));
  if (outcome === 200) return { mid, person: person.id, status_of_webhook: "delivered" };
  const problem = outcome === null ? "waits for its batch to fill" : `the webhook's receiver: ${outcome}`;
  return { mid, person: person.id, status_of_webhook: "waiting", problem };
}
