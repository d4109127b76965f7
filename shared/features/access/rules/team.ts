import { isUlid, newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Role } from "./callers.ts";

/** A person who signs in to the console. */
export interface User {
  /** `usr_<ULID>` */
  readonly id: string;
  /** In its normal form: lower case, the domain in IDNA. */
  readonly email: string;
  readonly name: string | null;
  readonly createdAt: Millis;
  readonly lastSignInAt: Millis;
  /** A session is valid while its `sv` claim is this number. */
  readonly sessionEpoch: number;
  /** The version of the root secret that replaced a leaked one and ended the user's sessions. Absent before the first. */
  readonly root?: RootMark;
}

/** Names a version of the root secret. A process that has not read it must not accept a session. */
export interface RootMark {
  readonly kid: string;
  readonly createdAt: Millis;
}

/** A membership as the tenant lists it. */
export interface Membership {
  readonly tenant: TenantId;
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly createdAt: Millis;
  /** `console:<userId>` or `cli`. Null for the person who created the tenant. */
  readonly invitedBy: string | null;
}

/** An invite. Its mail contains no token: the person signs in, which proves the address. */
export interface Invite {
  /** `inv_<ULID>` */
  readonly id: string;
  readonly tenant: TenantId;
  readonly email: string;
  readonly role: Role;
  /** An expired invite is still `pending` here: see `inviteStatus`. */
  readonly status: "pending" | "accepted" | "declined" | "revoked";
  /** `console:<userId>` or `cli` */
  readonly invitedBy: string;
  readonly createdAt: Millis;
  /** Null for an owner whom the operator named: that invite does not expire. */
  readonly expiresAt: Millis | null;
  readonly acceptedAt: Millis | null;
}

export function newUserId(now: Millis): string {
  return `usr_${newUlid(now)}`;
}

export function isUserId(text: string): boolean {
  return text.startsWith("usr_") && isUlid(text.slice(4));
}

export function newInviteId(now: Millis): string {
  return `inv_${newUlid(now)}`;
}

export function isInviteId(text: string): boolean {
  return text.startsWith("inv_") && isUlid(text.slice(4));
}

/** Half open: at exactly `expiresAt` the invite has expired. */
export function isInviteExpired({ expiresAt }: Pick<Invite, "expiresAt">, now: Millis): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** The status that the API shows. */
export function inviteStatus(invite: Invite, now: Millis): Invite["status"] | "expired" {
  return invite.status === "pending" && isInviteExpired(invite, now) ? "expired" : invite.status;
}
