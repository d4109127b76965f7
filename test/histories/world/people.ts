import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";

/** The tenant that most steps are about, and one that shares nothing with it. */
export const TENANT = parseTenant("tenant-a") as TenantId;
export const NEIGHBOUR = parseTenant("tenant-b") as TenantId;
export const tenants = [TENANT, NEIGHBOUR] as const;

/** A connected account. */
export interface WorldAccount extends AccountRef {
  readonly tenant: TenantId;
}

/** Somebody who writes to one account. */
export interface Person {
  readonly name: string;
  readonly account: WorldAccount;
  readonly participantId: string;
}

const shop: WorldAccount = { tenant: TENANT, platform: "instagram", externalId: "17841400000000001" };
const page: WorldAccount = { tenant: TENANT, platform: "messenger", externalId: "100000000000001" };
const other: WorldAccount = { tenant: NEIGHBOUR, platform: "instagram", externalId: "17841400000000002" };
export const accounts = [shop, page, other] as const;

/** The last one has the id of the first one, and writes to an account of the other tenant. */
export const people: readonly Person[] = [
  { name: "person-0", account: shop, participantId: "person-0" },
  { name: "person-1", account: shop, participantId: "person-1" },
  { name: "person-2", account: page, participantId: "person-2" },
  { name: "person-3", account: other, participantId: "person-0" },
];
/** The number of the person who writes to the other tenant. */
export const NEIGHBOURS_PERSON = 3;

/** A person by number or by name. */
export function findPerson(who: number | string): Person {
  const person = typeof who === "number" ? people[who] : people.find(({ name }) => name === who);
  if (!person) throw new Error(`There is no person ${who}.`);
  return person;
}

/** The person who writes to an account under an id. */
export function participant(externalId: string, participantId: string): Person | undefined {
  return people.find((each) => each.account.externalId === externalId && each.participantId === participantId);
}

export function conversationOf(name: string): string {
  const { account, participantId } = findPerson(name);
  return conversationId({ tenant: account.tenant, account, participantId });
}
