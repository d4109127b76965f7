import { SESSION_LIFETIME } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { claimInvites } from "#features/access/flows/team/claim-invites.ts";
import { addressHashes } from "#features/access/rules/address-hash.ts";
import type { AuditAction } from "#features/access/rules/audit.ts";
import type { CallerAuthor, Role, SessionCaller } from "#features/access/rules/callers.ts";
import { type Invite, newUserId } from "#features/access/rules/team.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { openTestEnv, type TestEnv } from "../../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../../support/opened.ts";
import { openStores } from "../../../../../support/stores/open-stores.ts";
import { newTenant } from "../../../../../support/stores/samples.ts";
import { noStream } from "../../../../realtime/flows/support/no-stream.ts";

let people = 0;

/** An address that no other test of this process has. */
export function newEmail(): string {
  return `person-${++people}@example.com`;
}

export type TeamEnv = ReturnType<typeof openTeamEnv>;

/** Opens an environment for the tests of a file. */
export function useTeam() {
  const testEnv = openedOnce(openTestEnv);
  return { testEnv, team: openedOnce(() => openTeamEnv(testEnv)) };
}

/** Tenants with members who are signed in. */
export function openTeamEnv(testEnv: TestEnv) {
  const { addressKeys } = testEnv;
  const stores = openStores(testEnv.table);
  const mails: string[] = [];
  const ports = {
    ...testEnv.consolePorts(),
    ...stores,
    ...noStream,
    mails: { send: async ({ body }: { readonly body: string }) => void mails.push(body) },
  };
  const hashes = async (email: string) => addressHashes(await addressKeys(), email);

  /** A request of the person: their session is read now. */
  async function author(userId: string): Promise<CallerAuthor<SessionCaller> & { readonly caller: SessionCaller }> {
    const session = await stores.users.readSession(userId);
    if (!session) throw new Error("The user does not exist.");
    const { user, memberships } = session;
    const { email, name, lastSignInAt, sessionEpoch: epoch } = user;
    const expiresAt = lastSignInAt + SESSION_LIFETIME;
    const person = { userId, email, name, epoch, expiresAt, csrfToken: "" };
    const caller = { kind: "session", ...person, memberships, scope: "live" } as const;
    return { caller, ip: "192.0.2.1" };
  }

  /** Signs a person in. @param inviteId the invite whose mail it came from @returns the id of the user */
  async function signIn(email: string, openPorts = ports, inviteId: string | null = null): Promise<string> {
    const now = testEnv.now();
    const address = await hashes(email);
    const user = await openPorts.users.recordSignIn({ addressHashes: address, email, newUserId: newUserId(now), now });
    const author = { actor: `console:${user.id}`, ip: "192.0.2.1" };
    await claimInvites(openPorts, { user, addressHashes: address, inviteId, author, now });
    return user.id;
  }

  /** Invites a person, also one who was a member before, and signs them in. @returns the id of the user */
  async function newMember(tenant: TenantId, role: Role, email = newEmail()): Promise<string> {
    const now = testEnv.now();
    const audit = { action: "invite.create", resource: "-", actor: "cli", ip: null, detail: {}, at: now } as const;
    const invite: Invite = {
      id: `inv_${newUserId(now).slice(4)}`,
      tenant,
      email,
      role,
      status: "pending",
      invitedBy: "cli",
      createdAt: now,
      expiresAt: null,
      acceptedAt: null,
    };
    await stores.invites.create(invite, { audit, actor: null, memberId: null, addressHashes: await hashes(email) });
    return signIn(email, ports, invite.id);
  }

  return {
    ports,
    /** The bodies of the queued mails. */
    mails,
    hashes,
    author,
    signIn,
    newMember,
    async newTenant(): Promise<TenantId> {
      const slug = newTenant();
      await createTenant(ports, slug, { name: "Shop", ownerEmail: null, author: { actor: "cli" } }, testEnv.now());
      return slug;
    },
    /** The roles of a tenant's members, by user. */
    async roles(tenant: TenantId): Promise<Record<string, Role>> {
      const members = await stores.memberships.list(tenant);
      return Object.fromEntries(members.map(({ userId, role }) => [userId, role]));
    },
    async audits(tenant: TenantId, action: AuditAction) {
      const { rows } = await stores.audit.list(tenant, { before: null, limit: 200, now: testEnv.now() });
      return rows.filter((row) => row.action === action);
    },
  };
}
