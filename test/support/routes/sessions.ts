import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import type { Role } from "#features/access/rules/callers.ts";
import { sealSession } from "#features/access/sessions.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import {
  auditOf,
  createInvite,
  hashesOf,
  sampleInvite,
  signIn,
} from "../../features/access/store/support/team-samples.ts";

/** The browser of a signed-in person. */
export interface TestSession {
  readonly userId: string;
  readonly actorId: string;
  readonly token: string;
  readonly csrfToken: string;
  /** The headers of a read. */
  readonly headers: { readonly cookie: string };
  /** The headers of a write. */
  readonly writeHeaders: { readonly cookie: string; readonly "x-csrf-token": string };
}

interface SessionSource {
  readonly table: Table;
  readonly sessionKeys: ReadKeyRing;
  readonly now: Millis;
}

/** Signs a new person in, who is a member of these tenants. @param invitedBy default: that of `sampleInvite` */
export async function newSession(
  { table, sessionKeys, now }: SessionSource,
  memberships: readonly (readonly [TenantId, Role])[],
  invitedBy?: string,
): Promise<TestSession & { readonly email: string }> {
  const user = await signIn(table);
  for (const [tenant, role] of memberships) {
    const invite = sampleInvite(tenant, { email: user.email, role, ...(invitedBy ? { invitedBy } : {}) });
    await createInvite(table, invite);
    const acceptance = { user, addressHashes: hashesOf(user.email), audit: auditOf("invite.accept") };
    await inviteStore(table).accept(invite, acceptance);
  }
  const session = await sealSession(await sessionKeys(), { userId: user.id, epoch: user.sessionEpoch, now });
  return { ...toTestSession(user.id, session), email: user.email };
}

export function toTestSession(userId: string, session: { token: string; csrfToken: string }): TestSession {
  const { token, csrfToken } = session;
  const cookie = `other=1; console_session=${token}; console_csrf=${csrfToken}`;
  return {
    userId,
    actorId: `console:${userId}`,
    token,
    csrfToken,
    headers: { cookie },
    writeHeaders: { cookie, "x-csrf-token": csrfToken },
  };
}
