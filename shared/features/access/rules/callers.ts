import { type Reason, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { AuditEntry } from "./audit.ts";
import type { Scope } from "./scope.ts";

/** The roles of a tenant's members. Each one also has the permissions of those before it. */
export const roles = ["agent", "admin", "owner"] as const;
export type Role = (typeof roles)[number];

/** @param least the role that is needed at least */
export function hasRole(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

// An API key is `svc_live_` or `svc_test_`, 40 random base62 characters and a base62 CRC-32 of everything before it.
// The checksum rejects a mistyped or invented key without a read, and secret scanners can match
// svc_(live|test)_[0-9A-Za-z]{46}.

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARS = 40;
const CHECK_CHARS = 6;
const API_KEY_PATTERN = /^svc_(live|test)_[0-9A-Za-z]{46}$/;

/** How many random bytes `formatApiKey` needs. It skips bytes of 248 and above, which would bias the characters. */
export const API_KEY_RANDOM_BYTES = 80;

export function formatApiKey(scope: Scope, random: Uint8Array): string {
  let chars = "";
  for (const byte of random) {
    if (chars.length === RANDOM_CHARS) break;
    if (byte < 248) chars += BASE62.charAt(byte % 62);
  }
  if (chars.length < RANDOM_CHARS) throw new Error("Not enough random bytes for an API key.");
  const body = `svc_${scope}_${chars}`;
  return body + checksum(body);
}

/** @returns null when the format or the checksum is wrong */
export function parseApiKey(text: string): string | null {
  if (!API_KEY_PATTERN.test(text)) return null;
  const body = text.slice(0, -CHECK_CHARS);
  return checksum(body) === text.slice(-CHECK_CHARS) ? text : null;
}

/** The part of a key that may be shown: its kind and four characters. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, "svc_live_".length + 4);
}

function checksum(body: string): string {
  let remainder = crc32(body);
  let text = "";
  for (let i = 0; i < CHECK_CHARS; i++) {
    text = BASE62.charAt(remainder % 62) + text;
    remainder = Math.floor(remainder / 62);
  }
  return text;
}

function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** The caller of a request: a key, or a person who is signed in. */
export type Caller = KeyCaller | SessionCaller;

/** The key of one tenant, or an operator key with its tenants. */
export type KeyCaller =
  | {
      readonly kind: "tenant_key";
      readonly keyId: string;
      readonly tenant: TenantId;
      readonly scope: Scope;
      /** A request with a parameter or a field that its route does not know is refused. Absent while it is not. */
      readonly isStrict?: true;
      /** Its tenant is suspended: the request is counted and then refused. Absent while it is not. */
      readonly isSuspended?: true;
    }
  | {
      readonly kind: "operator_key";
      readonly keyId: string;
      readonly tenants: readonly TenantId[];
      /** Those of its tenants that are suspended. */
      readonly suspendedTenants: readonly TenantId[];
      readonly scope: Scope;
      readonly isStrict?: true;
    };

/** A signed-in person, with the memberships at the time of the request. */
export interface SessionCaller {
  readonly kind: "session";
  readonly userId: string;
  readonly email: string;
  /** As colleagues read it. Null until the person gives one. */
  readonly name: string | null;
  /** When the session ends. */
  readonly expiresAt: Millis;
  /** The epoch of the session. A sign-out ends all sessions of this epoch. */
  readonly epoch: number;
  /** Each write of the session repeats it. */
  readonly csrfToken: string;
  readonly memberships: readonly SessionMembership[];
  /** A person never acts for tests. */
  readonly scope: "live";
}

/** A tenant of which the person is a member. */
export interface SessionMembership {
  readonly tenant: TenantId;
  readonly role: Role;
  readonly isSuspended: boolean;
}

/** Whether the caller's requests are refused for what their route would ignore. A person's never are. */
export function isStrict(caller: Caller): boolean {
  return caller.kind !== "session" && caller.isStrict === true;
}

/** The caller as the audit log names it. It is also the only `actor_id` that a signed-in person may send. */
export function callerActor(caller: Caller): string {
  if (caller.kind === "session") return userActor(caller.userId);
  return `${caller.kind === "tenant_key" ? "key" : "operator"}:${caller.keyId}`;
}

/** A signed-in person as the audit log names them. */
export function userActor(userId: string): string {
  return `console:${userId}`;
}

/** The id of the person whom `userActor` names; null for any other actor. */
export function actorUserId(actor: string | null): string | null {
  return actor?.startsWith("console:") ? actor.slice("console:".length) : null;
}

/** The tenant of a request that names none. Null when the caller must name one. */
export function implicitTenant(caller: Caller): TenantId | null {
  if (caller.kind === "tenant_key") return caller.tenant;
  if (caller.kind === "operator_key") return null;
  const [membership, ...others] = caller.memberships;
  return membership && others.length === 0 ? membership.tenant : null;
}

/** Whether the caller is a person who is a member of no tenant, so that no `?tenant=` would help. */
export function hasNoTenant(caller: Caller): boolean {
  return caller.kind === "session" && caller.memberships.length === 0;
}

/** Refuses every request of the key of a suspended tenant, also one that concerns no tenant. Null for any other caller. */
export function refuseSuspendedKey(caller: Caller): Refusal<"tenant_suspended"> | null {
  return caller.kind === "tenant_key" && caller.isSuspended ? refuse("tenant_suspended") : null;
}

/**
 * Refuses a tenant that the caller may not act for. Null if it may.
 * @param reason refuses the tenant of another caller: an id of its resources is refused as an unknown id is
 */
export function refuseTenant<R extends Reason>(
  caller: Caller,
  tenant: TenantId,
  reason: R,
): Refusal<R | "tenant_suspended"> | null {
  switch (caller.kind) {
    case "tenant_key":
      return caller.tenant === tenant ? null : refuse(reason);
    case "operator_key":
      if (!caller.tenants.includes(tenant)) return refuse(reason);
      return caller.suspendedTenants.includes(tenant) ? refuse("tenant_suspended") : null;
    case "session": {
      const membership = findMembership(caller, tenant);
      if (!membership) return refuse(reason);
      return membership.isSuspended ? refuse("tenant_suspended") : null;
    }
  }
}

/** Refuses a person whose role in the tenant permits less than `least`. A key has no role: null. */
export function refuseRole(caller: Caller, tenant: TenantId, least: Role): Refusal<"role_forbidden"> | null {
  if (caller.kind !== "session") return null;
  const membership = findMembership(caller, tenant);
  return membership && hasRole(membership.role, least) ? null : refuse("role_forbidden");
}

/** Refuses a person who names another actor than themselves. A key names any actor. Null if it is allowed. */
export function refuseActor(caller: Caller, actorId: string | null): Refusal<"actor_forbidden"> | null {
  if (caller.kind !== "session" || actorId === null) return null;
  return actorId === callerActor(caller) ? null : refuse("actor_forbidden");
}

/** Whether the caller is a person who is a member of the tenant. */
export function isMember(caller: Caller, tenant: TenantId): boolean {
  return caller.kind === "session" && findMembership(caller, tenant) !== undefined;
}

function findMembership(caller: SessionCaller, tenant: TenantId): SessionMembership | undefined {
  return caller.memberships.find((membership) => membership.tenant === tenant);
}

/** The member who makes a change, and the roles that may make it. Null for the command line and for Parley itself. */
export type ActingMember = { readonly userId: string; readonly roles: readonly Role[] } | null;

/** Who makes a change: the audit row that is written with it, and the member whose role is a condition of it. */
export interface ChangeAuthor {
  readonly audit: AuditEntry;
  readonly actor: ActingMember;
}

/** The caller of a request, and its source address. The framework of the routes makes it, once per request. */
export interface CallerAuthor<C extends Caller = Caller> {
  readonly caller: C;
  /** Null without a gateway. */
  readonly ip: string | null;
}

/** Who makes a change: the caller of a request, or a name of the audit trail such as `cli` or `system`. */
export type Author = CallerAuthor | { readonly actor: string; readonly ip?: string | null };

/** The service itself. */
export const SYSTEM = { actor: "system" } as const satisfies Author;
/** An operator at the command line. */
export const CLI = { actor: "cli" } as const satisfies Author;

/** What a change adds to the audit trail, without who made it. The detail never contains a URL or a secret. */
export type AuditedChange = Omit<AuditEntry, "actor" | "ip">;

/** The author as the audit trail names them. */
export function authorName(author: Author): string {
  return "caller" in author ? callerActor(author.caller) : author.actor;
}

/** The signed-in person who makes a change. Null for a key, for the command line and for Parley itself. */
export function authorUserId(author: Author): string | null {
  return "caller" in author && author.caller.kind === "session" ? author.caller.userId : null;
}

/** The audit entry of a change. */
export function auditEntry(author: Author, change: AuditedChange): AuditEntry {
  return { ...change, actor: authorName(author), ip: author.ip ?? null };
}

/**
 * The acting member of a change that at least this role may make: checked again when the change is written. Null for a
 * key and for the command line.
 */
export function actingMember(author: Author, least: Role): ActingMember {
  const userId = authorUserId(author);
  return userId === null ? null : { userId, roles: roles.filter((role) => hasRole(role, least)) };
}

/** The audit row of a change that at least this role may make, and its acting member: what its write needs of the author. */
export function changeAuthor(author: Author, least: Role, change: AuditedChange): ChangeAuthor {
  return { audit: auditEntry(author, change), actor: actingMember(author, least) };
}
