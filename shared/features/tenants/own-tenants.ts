import { allDone } from "#base/kernel/parallel.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { type Millis, secondsToNextDay, startOfDay } from "#base/kernel/time.ts";
import { readInviters } from "#features/access/inviters.ts";
import {
  auditEntry,
  type CallerAuthor,
  changeAuthor,
  type Role,
  refuseRole,
  refuseTenant,
  type SessionCaller,
} from "#features/access/rules/callers.ts";
import type { Membership } from "#features/access/rules/team.ts";
import type { TenantCreations } from "#features/access/store/users.ts";
import type { ListOwnTenantPorts, OwnTenantPorts } from "./ports.ts";
import type { StoredTenant, TenantChange } from "./store/tenants.ts";

/** A tenant, as a member reads it. */
export type OwnTenant = StoredTenant;

/** A tenant, as its member lists it. */
export interface ListedTenant extends OwnTenant {
  readonly role: Role;
  /** Who invited the member: `console:<userId>` or `cli`. Null for the person who created the tenant. */
  readonly invitedBy: string | null;
  /** Of the person who invited the member; null for none. */
  readonly inviterEmail: string | null;
}

/**
 * Lists the person's tenants, also suspended ones, with their role in each, by slug.
 * @param caller `memberships`: those to list
 */
export async function listOwnTenants(
  ports: ListOwnTenantPorts,
  { userId, memberships }: Pick<SessionCaller, "userId" | "memberships">,
): Promise<ListedTenant[]> {
  const rolesByTenant = new Map(memberships.map(({ tenant, role }) => [tenant, role]));
  const ids = [...rolesByTenant.keys()];
  const [tenants, ownMemberships] = await allDone([ports.tenants.list(ids), ports.memberships.ofUser(userId, ids)]);
  const invitersByTenant = new Map(ownMemberships.map(({ tenant, invitedBy }) => [tenant, invitedBy]));
  const inviterOf = await readInviters(ports, ownMemberships);
  return tenants.flatMap((tenant) => {
    const role = rolesByTenant.get(tenant.id);
    const invitedBy = invitersByTenant.get(tenant.id) ?? null;
    return role ? [{ ...tenant, role, invitedBy, inviterEmail: inviterOf(invitedBy) }] : [];
  });
}

/** How often a creation is repeated after another one of the same person. */
const ATTEMPTS_MAX = 5;

/**
 * Creates a tenant with the person as its owner. Only a deployment with open sign-up lets a person do so, up to a number of
 * tenants that the person owns and of those created since midnight UTC, also at the same time.
 */
export async function createOwnTenant(
  ports: OwnTenantPorts,
  {
    id,
    name,
    author,
    now,
  }: {
    readonly id: TenantId;
    readonly name: string;
    readonly author: CallerAuthor<SessionCaller>;
    readonly now: Millis;
  },
): Promise<OwnTenant | Refusal<"sign_up_closed" | "tenant_exists" | "workspace_limit" | "workspace_day_limit">> {
  if (!ports.isSignUpOpen) return refuse("sign_up_closed");
  const { userId, email, name: personName } = author.caller;
  const tenant = { id, name, status: "active", ownerEmail: null, createdAt: now } as const;
  const owner: Membership = {
    tenant: id,
    userId,
    email,
    name: personName,
    role: "owner",
    createdAt: now,
    invitedBy: null,
  };
  const audit = auditEntry(author, { action: "tenant.create", resource: `tenant:${id}`, detail: {}, at: now });
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const creations = await readCreations(ports, userId, now);
    if (isRefusal(creations)) return creations;
    const result = await ports.tenants.createOwned(tenant, audit, {
      owner,
      creations,
      day: creationDay(creations, now),
    });
    if (result === "created") return { ...tenant, language: null, updatedAt: now };
    if (result === "exists") return refuse("tenant_exists");
  }
  throw new Error("The person created too many tenants at once.");
}

/** The creations that the next one counts on, unless a limit is reached. */
async function readCreations(
  { users, tenantLimits }: OwnTenantPorts,
  userId: string,
  now: Millis,
): Promise<TenantCreations | Refusal<"workspace_limit" | "workspace_day_limit">> {
  const stored = await users.readCreations(userId);
  if (!stored) throw new Error("The user of a session does not exist.");
  const { owned, creations } = stored;
  if (owned >= tenantLimits.perOwner) return refuse("workspace_limit");
  const isSameDay = creations.day === creationDay(creations, now);
  const isDayFull = isSameDay && (creations.count ?? 0) >= tenantLimits.perDay;
  return isDayFull ? refuse("workspace_day_limit", undefined, secondsToNextDay(now)) : creations;
}

/** The day of UTC in which a creation counts. It never goes back, also where a process has a clock that is behind. */
function creationDay({ day = 0 }: TenantCreations, now: Millis): Millis {
  return Math.max(day, startOfDay(now));
}

/** A tenant of the person. A tenant of others is refused as one that does not exist. */
export async function getOwnTenant(
  ports: OwnTenantPorts,
  { slug, caller }: { readonly slug: string; readonly caller: SessionCaller },
): Promise<OwnTenant | Refusal<"tenant_not_found" | "tenant_suspended">> {
  const tenant = parseTenant(slug);
  if (!tenant) return refuse("tenant_not_found");
  return (
    refuseTenant(caller, tenant, "tenant_not_found") ?? (await ports.tenants.get(tenant)) ?? refuse("tenant_not_found")
  );
}

/** Changes the name or the language of a tenant. Owners may. Only a change leaves an audit row. */
export async function changeTenant(
  ports: OwnTenantPorts,
  {
    slug,
    change: { name, language },
    author,
    now,
  }: {
    readonly slug: string;
    readonly change: TenantChange;
    readonly author: CallerAuthor<SessionCaller>;
    readonly now: Millis;
  },
): Promise<OwnTenant | Refusal<"tenant_not_found" | "tenant_suspended" | "role_forbidden">> {
  const tenant = parseTenant(slug);
  if (!tenant) return refuse("tenant_not_found");
  const { caller } = author;
  const refusal = refuseTenant(caller, tenant, "tenant_not_found") ?? refuseRole(caller, tenant, "owner");
  if (refusal) return refusal;
  const changed = [...(name === undefined ? [] : ["name"]), ...(language === undefined ? [] : ["language"])];
  const audited = {
    action: "tenant.update",
    resource: `tenant:${tenant}`,
    detail: { changed: changed.join(",") },
    at: now,
  } as const;
  const by = changeAuthor(author, "owner", audited);
  const result = await ports.tenants.change(tenant, { name, language }, by);
  if (result === "actor_changed") return refuse("role_forbidden");
  return (await ports.tenants.get(tenant)) ?? refuse("tenant_not_found");
}
