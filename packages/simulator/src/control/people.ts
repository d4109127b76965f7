import type { Context } from "../calls/context.ts";
import { type Fields, optionalBoolean, optionalString } from "../http/fields.ts";
import type { Person } from "../world/model.ts";
import { findOrAddPerson, requireAccount } from "./targets.ts";

/**
 * Adds or edits a person.
 * Fields: `account, connection?, person?, name?, username?, blocked?, profile?, nameless?, picture?,
 * standby?, role?`.
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
  const standby = optionalBoolean(fields, "standby");
  const role = optionalBoolean(fields, "role");
  const person = findOrAddPerson(world, account, optionalString(fields, "person") ?? name);
  if (name !== undefined) person.name = name;
  if (username !== undefined) person.username = username;
  if (blocked !== undefined) person.blocked = blocked;
  if (profile !== undefined) person.profile = profile;
  if (nameless !== undefined) person.nameless = nameless;
  if (picture !== undefined) person.picture = picture;
  if (standby !== undefined) person.standby = standby;
  if (role !== undefined) person.role = role;
  await world.save();
  return person;
}
