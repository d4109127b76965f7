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

/** Caches each result for a minute. Concurrent calls for one account share one read. */
export function accountResolver(ports: Pick<IngestPorts, "accounts" | "tenantStates">): ResolveAccount {
  const resolveAccount = memoizeForMinute(async (ref: AccountRef, now: Millis) => {
    const route = await ports.accounts.getRoute(ref);
    return route ? { ...route, ...(await readTenantState(route.tenant, now)) } : null;
  }, accountKey);
  const readTenantState = memoizeForMinute((tenant: TenantId) => ports.tenantStates.get(tenant), String);
  return resolveAccount;
}
