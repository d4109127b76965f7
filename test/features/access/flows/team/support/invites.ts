import { beforeEach } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { createInvite, listInvites, resendInvite, revokeInvite } from "#features/access/flows/team/invites.ts";
import { decodeMail } from "#features/access/queue.ts";
import type { Role } from "#features/access/rules/callers.ts";
import type { Invite } from "#features/access/rules/team.ts";
import { newEmail, useTeam } from "./team.ts";

export const refused = (reason: string) => ({ refused: reason });

/** The tenant of a test, and its members. A test may put others in their place. */
interface Workspace {
  tenant: TenantId;
  owner: string;
  admin: string;
}

/** Opens an environment for the tests of a file, and a tenant with an owner and an admin for each test. */
export function useInvites() {
  const { testEnv, team } = useTeam();
  const workspace = {} as Workspace;
  beforeEach(async () => {
    const tenant = await team.newTenant();
    const [owner, admin] = [await team.newMember(tenant, "owner"), await team.newMember(tenant, "admin")];
    Object.assign(workspace, { tenant, owner, admin });
  });

  async function invite(email: string, { by = workspace.admin, role = "agent" }: { by?: string; role?: Role } = {}) {
    const { tenant } = workspace;
    return createInvite(team.ports, { tenant, email, role, author: await team.author(by), now: testEnv.now() });
  }
  const request = async (inviteId: string, by: string) => ({
    tenant: workspace.tenant,
    inviteId,
    author: await team.author(by),
    now: testEnv.now(),
  });

  return {
    testEnv,
    team,
    workspace,
    invite,
    async newInvite(email = newEmail(), role: Role = "agent"): Promise<Invite> {
      const created = await invite(email, { by: workspace.owner, role });
      if (isRefusal(created)) throw new Error(`The invite was refused: ${created.refused}.`);
      return created;
    },
    resend: async (inviteId: string, by = workspace.admin) => resendInvite(team.ports, await request(inviteId, by)),
    revoke: async (inviteId: string, by = workspace.admin) => revokeInvite(team.ports, await request(inviteId, by)),
    list: () => listInvites(team.ports, workspace.tenant, testEnv.now()),
    mailedInvites: () => team.mails.map(decodeMail).flatMap((mail) => (mail?.kind === "invite" ? [mail.inviteId] : [])),
    /** What an end of the sign-in window allows again. */
    nextWindow: () => testEnv.advance(15 * MINUTE),
  };
}
