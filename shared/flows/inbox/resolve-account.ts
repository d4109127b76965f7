import { type AccountRef, accountKey } from "../../domain/accounts/accounts.ts";
import { memoizeForMinute } from "../../kernel/memo.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { TenantState } from "../../stores/access/tenant-states.ts";
import type { IngestPorts } from "./ports.ts";

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
