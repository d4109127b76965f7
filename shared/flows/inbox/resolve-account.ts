import { type AccountRef, accountKey } from "../../domain/accounts/accounts.ts";
import { memoizeForMinute } from "../../kernel/memo.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { TenantState } from "../../stores/access/tenant-states.ts";
import type { IngestPorts } from "./ports.ts";

/** The tenant of a connected account, with the tenant's state. */
export interface ResolvedAccount extends TenantState {
  readonly tenant: TenantId;
  readonly handle: string;
}

/** @returns null when the account is not connected to a tenant */
export type ResolveAccount = (ref: AccountRef, now: Millis) => Promise<ResolvedAccount | null>;

/** Caches each account's route and each tenant's state for a minute. Concurrent calls share one read. */
export function accountResolver(ports: Pick<IngestPorts, "accounts" | "tenantStates">): ResolveAccount {
  const readRoute = memoizeForMinute((ref: AccountRef) => ports.accounts.getRoute(ref), accountKey);
  const readTenantState = memoizeForMinute((tenant: TenantId) => ports.tenantStates.get(tenant), String);
  return async (ref, now) => {
    const route = await readRoute(ref, now);
    // Not cached with the route: the state may be a minute old already.
    return route && { ...route, ...(await readTenantState(route.tenant, now)) };
  };
}
