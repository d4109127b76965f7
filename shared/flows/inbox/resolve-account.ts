import { type AccountRef, accountKey } from "../../domain/accounts/accounts.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { TenantState } from "../../stores/access/tenant-states.ts";
import type { IngestPorts } from "../ports.ts";

/** Where an account's updates go, and what is to be known of the tenant there. */
export interface AccountHome extends TenantState {
  readonly tenant: TenantId;
  readonly handle: string;
}

/** Finds the home of an account; null when it is connected to no tenant. */
export type FindHome = (ref: AccountRef, now: Millis) => Promise<AccountHome | null>;

/** Remembers each answer for a minute; a batch that asks for one account at once reads it once. */
export function accountHomes(ports: Pick<IngestPorts, "accounts" | "tenantStates">): FindHome {
  const homeOf = remembering(async (ref: AccountRef, now: Millis) => {
    const route = await ports.accounts.routeOf(ref);
    return route ? { ...route, ...(await stateOf(route.tenant, now)) } : null;
  }, accountKey);
  const stateOf = remembering((tenant: TenantId) => ports.tenantStates.get(tenant), String);
  return homeOf;
}

/** Remembers each answer for a minute. */
export function remembering<K, V>(read: (key: K, now: Millis) => Promise<V>, nameOf: (key: K) => string) {
  const known = new Map<string, { value: Promise<V>; until: Millis }>();
  return (key: K, now: Millis): Promise<V> => {
    const name = nameOf(key);
    const kept = known.get(name);
    if (kept && kept.until > now) return kept.value;
    const mine = { value: read(key, now), until: now + MINUTE };
    known.set(name, mine);
    const forget = () => {
      if (known.get(name) === mine) known.delete(name);
    };
    // Neither a failure nor an account that is connected nowhere is remembered: the next one to ask reads anew.
    mine.value.then((value) => value ?? forget(), forget);
    return mine.value;
  };
}
