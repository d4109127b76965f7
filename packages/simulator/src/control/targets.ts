import {
  BadInput,
  type Fields,
  isFields,
  optionalEnum,
  optionalInteger,
  optionalString,
  requiredString,
} from "../http/fields.ts";
import { type Account, type Attachment, connections, type Person, type Thread } from "../world/model.ts";
import type { World } from "../world/world.ts";

/** The account that a control request names; `connection` selects one if two share an id. Throws BadInput. */
export function requireAccount(world: World, fields: Fields): Account {
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
export function findOrAddPerson(world: World, account: Account, idOrName: string | undefined): Person {
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
 * The field `attachments`: a list of `{type, url}`. A URL that begins with `/` is one of the simulator, whose origin is
 * `origin`. Throws BadInput.
 */
export function parseAttachments(fields: Fields, origin: string): Attachment[] {
  const attachments = fields.attachments ?? [];
  if (!Array.isArray(attachments)) throw new BadInput("attachments must be a list of {type, url}");
  return attachments.map((one: unknown) => {
    if (!isFields(one)) throw new BadInput("attachments must be a list of {type, url}");
    const url = optionalString(one, "url");
    return {
      type: requiredString(one, "type"),
      ...(url === undefined ? {} : { payload: { url: url.startsWith("/") ? origin + url : url } }),
    };
  });
}

/**
 * The field `at`, the time of what happens in a thread, in milliseconds; now without it. Throws BadInput for a time in the
 * future or before the newest message of the thread.
 */
export function parseTime(world: World, thread: Thread, fields: Fields): number {
  const now = world.now();
  const at = optionalInteger(fields, "at", 0, Number.MAX_SAFE_INTEGER) ?? now;
  if (at > now) throw new BadInput(`at is in the future: the simulator's clock is at ${now}`);
  const newest = thread.messages.at(-1)?.at ?? 0;
  if (at < newest && fields.at != null)
    throw new BadInput(`at is before the newest message of the thread, which is of ${newest}`);
  return at;
}
