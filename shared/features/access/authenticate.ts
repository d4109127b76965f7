import { hmacSha256 } from "#base/kernel/bytes.ts";
import { type KeyVersion, openingKeys, replacedKeys } from "#base/kernel/key-ring.ts";
import { KEY_USE_INTERVAL } from "#base/kernel/limits.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { KeyPorts, RequestQuotaPorts } from "./ports.ts";
import { type Caller, isMember, type KeyCaller, parseApiKey, refuseSuspendedKey } from "./rules/callers.ts";
import { refuseUnauthorized, type UnauthorizedCause } from "./rules/unauthorized.ts";
import type { ApiKey, KeyLookup } from "./store/items.ts";
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
 * One write counts for both, also for a person of one tenant. For a person of several tenants a second one counts for
 * the tenant that the request names.
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

/** How often a key is read while other writes change its lookup row. */
const ATTEMPTS_MAX = 5;

/** The lookup hash of a key. It needs the pepper, so write access to the table alone cannot add a key. */
export function apiKeyHash(pepper: Uint8Array, key: string): string {
  return hmacSha256(pepper, key).toString("hex");
}

/** Where a key is looked up under a pepper. */
export function keyLookup({ kid, key: pepper }: KeyVersion, secret: string): KeyLookup {
  return { hash: apiKeyHash(pepper, secret), kid };
}

export interface StoredKey {
  readonly key: ApiKey;
  /** The hash that its lookup row has now. */
  readonly hash: string;
}

/**
 * Finds a key under any pepper of the ring, with one read on the ordinary path. An active key that is found under a
 * replaced pepper is moved to the current one, in one transaction.
 */
export async function findKey(ports: KeyPorts, secret: string): Promise<StoredKey | null> {
  const ring = await ports.peppers();
  const [current, ...others] = openingKeys(ring).map((pepper) => keyLookup(pepper, secret));
  if (!current) return null;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const storedKey = await findUnder(ports, [current, ...others]);
    // A request that moves the key between two reads hides it from both.
    if (!storedKey && others.length > 0) return findUnder(ports, [current]);
    const isReplaced = replacedKeys(ring).some(({ kid }) => kid === storedKey?.kid);
    const isMovable = storedKey?.key.status === "active" && isReplaced;
    if (!storedKey || !isMovable) return storedKey;
    if (await ports.apiKeys.moveLookup(storedKey.key, storedKey.hash, current)) return { ...storedKey, ...current };
  }
  throw new Error("The lookup row of the API key changed too often.");
}

async function findUnder(ports: KeyPorts, lookups: readonly KeyLookup[]): Promise<(StoredKey & KeyLookup) | null> {
  for (const lookup of lookups) {
    const key = await ports.apiKeys.getByHash(lookup.hash);
    if (key) return { ...lookup, key };
  }
  return null;
}

const HEADER_CHARS_MAX = 200;

/**
 * Identifies the caller by the Authorization header. A key with a wrong checksum is refused without a read. Any other
 * key is read consistently, so that a revocation takes effect at the next request, and so does a tenant's suspension,
 * which its keys' rows carry: the caller of a suspended tenant is counted before it is refused. The row also says when
 * the key was last used, so that an hour passes until its next use is recorded.
 */
export async function authenticate(
  ports: KeyPorts,
  authorization: string | undefined,
  now: Millis,
): Promise<KeyCaller | Refusal<"unauthorized">> {
  const secret = readKey(authorization);
  if (!secret) return refuseUnauthorized(malformedCause(authorization));
  const storedKey = await findKey(ports, secret);
  if (!storedKey) return refuseUnauthorized("unknown_key");
  const { key, hash } = storedKey;
  if (key.status !== "active") return refuseUnauthorized("revoked_key");
  const caller = toCaller(key);
  const isUseDue = key.lastUsedAt === null || key.lastUsedAt <= now - KEY_USE_INTERVAL;
  if (!isRefusal(caller) && !refuseSuspendedKey(caller) && isUseDue) await ports.apiKeys.recordUse(key, hash, now);
  return caller;
}

/** Whether the Authorization header has the form of a key's, with its checksum. It reads nothing. */
export function hasKeyForm(authorization: string | undefined): boolean {
  return readKey(authorization) !== null;
}

/** Why an Authorization header has not the form of a key's. It reads nothing. */
export function malformedCause(authorization: string | undefined): UnauthorizedCause {
  if (authorization === undefined) return "no_credential";
  return /^bearer\b/i.test(authorization) ? "malformed_key" : "wrong_scheme";
}

function readKey(authorization: string | undefined): string | null {
  if (!authorization || authorization.length > HEADER_CHARS_MAX) return null;
  const [, token = ""] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
  return parseApiKey(token);
}

function toCaller(key: ApiKey): KeyCaller | Refusal<"unauthorized"> {
  const { id: keyId, scope, tenants, suspendedTenants } = key;
  const strictness = key.isStrict ? ({ isStrict: true } as const) : {};
  if (key.kind === "operator") return { kind: "operator_key", keyId, tenants, suspendedTenants, scope, ...strictness };
  const [tenant] = tenants;
  if (!tenant) return refuseUnauthorized("unknown_key");
  const suspension = suspendedTenants.includes(tenant) ? ({ isSuspended: true } as const) : {};
  return { kind: "tenant_key", keyId, tenant, scope, ...strictness, ...suspension };
}
