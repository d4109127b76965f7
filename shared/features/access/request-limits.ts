import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { RequestQuotaPorts } from "./ports.ts";
import { type Caller, isMember } from "./rules/callers.ts";
import type { LimitedUse } from "./store/request-quota.ts";

/** The requests of the current minute under one limit. */
export interface RequestPace {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the next minute. */
  readonly resetSeconds: number;
  /** Null while the limit is not exceeded. */
  readonly refusal: Refusal<"too_many_requests"> | null;
}

/**
 * Counts a request against the limit of its caller, a key or a person in all their sessions and tenants, and against
 * that of the tenant, which its keys and members share. A request that its caller's limit refuses does not count for
 * the tenant. An operator's key counts for no tenant.
 *
 * One write counts for both, also for a person of one tenant. For a person of several tenants a second one counts for the
 * tenant that the request names.
 * @param namedTenant the tenant that the request names, whether or not the caller may act for it
 * @returns the limit that is nearer
 */
export async function enforceRateLimit(
  ports: RequestQuotaPorts,
  caller: Caller,
  now: Millis,
  namedTenant: TenantId | null = null,
): Promise<RequestPace> {
  const { requestQuota } = ports;
  if (caller.kind === "operator_key") return toPace(await requestQuota.consume(caller.keyId, now));
  const onlyTenant = caller.kind === "tenant_key" ? caller.tenant : onlyMembership(caller);
  const callerId = caller.kind === "tenant_key" ? caller.keyId : caller.userId;
  if (onlyTenant !== null) {
    const use = await requestQuota.consumeInTenant(onlyTenant, callerId, now);
    return toPace(nearer(use.caller, use.tenant));
  }
  const callerUse = await requestQuota.consume(callerId, now);
  if (callerUse.isExceeded || namedTenant === null || !isMember(caller, namedTenant)) return toPace(callerUse);
  return toPace(nearer(callerUse, (await requestQuota.consumeInTenant(namedTenant, null, now)).tenant));
}

function onlyMembership({ memberships: [first, ...others] }: Extract<Caller, { kind: "session" }>): TenantId | null {
  return first && others.length === 0 ? first.tenant : null;
}

/** That of the caller where both have as much left. */
function nearer(caller: LimitedUse | null, tenant: LimitedUse): LimitedUse {
  return caller === null || tenant.remaining < caller.remaining ? tenant : caller;
}

function toPace({ limit, remaining, resetSeconds, isExceeded }: LimitedUse): RequestPace {
  const refusal = isExceeded ? refuse("too_many_requests", undefined, resetSeconds) : null;
  return { limit, remaining, resetSeconds, refusal };
}
