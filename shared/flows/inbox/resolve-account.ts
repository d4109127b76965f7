import { type AccountRef, accountKey } from "../../domain/accounts/accounts.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { TenantState } from "../../stores/access/tenant-states.ts";
import type { IngestPorts } from "../ports.ts";

/** Where an account's updates go, and what is to be known of the tenant there. */
export interface ResolvedAccount extends TenantState {
  readonly tenant: TenantId;
  readonly handle: string;
}

/** Finds the home of an account; null when it is connected to no tenant. */
export type ResolveAccount = (ref: AccountRef, now: Millis) => Promise<ResolvedAccount | null>;

/** Remembers each answer for a minute; a batch that asks for one account at once reads it once. */
export function accountResolver(ports: Pick<IngestPorts, "accounts" | "tenantStates">): ResolveAccount {
  const resolveAccount = memoizeForMinute(async (ref: AccountRef, now: Millis) => {
    const route = await ports.accounts.getRoute(ref);
    return route ? { ...route, ...(await readTenantState(route.tenant, now)) } : null;
  }, accountKey);
  const readTenantState = memoizeForMinute((tenant: TenantId) => ports.tenantStates.get(tenant), String);
  return resolveAccount;
}

/** Remembers each answer for a minute. */
export function memoizeForMinute<K, V>(read: (key: K, now: Millis) => Promise<V>, toCacheKey: (key: K) => string) {
  const cache = new Map<string, { value: Promise<V>; until: Millis }>();
  return (key: K, now: Millis): Promise<V> => {
    const cacheKey = toCacheKey(key);
    const cached = cache.get(cacheKey);
    if (cached && cached.until > now) return cached.value;
    const entry = { value: read(key, now), until: now + MINUTE };
    cache.set(cacheKey, entry);
    const evict = () => {
      if (cache.get(cacheKey) === entry) cache.delete(cacheKey);
    };
    // Neither a failure nor an account that is connected nowhere is remembered: the next one to ask reads anew.
    entry.value.then((value) => value ?? evict(), evict);
    return entry.value;
  };
}
