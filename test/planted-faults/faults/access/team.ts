import type { PlantedFault } from "../../planted-fault.ts";

const members = "test/features/access/flows/team/members.test.ts";
const invites = "test/features/access/flows/team/invites.test.ts";
const ownInvites = "test/features/access/flows/team/own-invites.test.ts";
const acceptedInvites = "test/features/access/flows/team/accepted-invites.test.ts";

export const teamFaults: readonly PlantedFault[] = [
  {
    name: "the last owner of a tenant leaves",
    file: "shared/features/access/store/memberships.ts",
    search: "above(Tenant.owners, 1)",
    replacement: "itemExists",
    killedBy: { file: members, title: "the last owner is one of two who demote or remove each other at the same time" },
  },
  {
    name: "an owner who is demoted is still counted",
    file: "shared/features/access/store/memberships.ts",
    search: 'Number(to === "owner") - Number(from === "owner")',
    replacement: 'Number(to === "owner")',
    killedBy: { file: members, title: "the last owner neither leaves nor is demoted" },
  },
  {
    name: "a request of a removed member changes the team",
    file: "shared/features/access/store/author-conditions.ts",
    search: "if (!actor || actor.userId === changedUserId) return [];",
    replacement: "if (actor !== undefined || !actor || changedUserId === undefined) return [];",
    killedBy: {
      file: members,
      title: "a removal takes effect on a request that was authorized before it and writes after it",
    },
  },
  {
    name: "a request of a demoted owner makes them an owner again",
    file: "shared/features/access/store/memberships.ts",
    search: "if (actor?.userId === userId && !actor.roles.includes(from))",
    replacement: "if (actor?.userId === userId && actor.roles.length === 0)",
    killedBy: {
      file: members,
      title:
        "a change of role takes effect on a request of its member that was authorized before it and writes after it",
    },
  },
  {
    name: "a request of a removed admin creates an API key",
    file: "shared/features/access/store/api-keys.ts",
    search: "...(owner === null ? [] : actorCheck(owner, actor)),",
    replacement: "...(owner === null ? [] : actorCheck(owner, actor, actor?.userId)),",
    killedBy: {
      file: "test/features/access/flows/keys.test.ts",
      title: "a tenant's keys are not created by a request in progress of an admin who was %s",
    },
  },
  {
    name: "a request of a removed admin creates a webhook endpoint",
    file: "shared/features/webhooks/store/endpoints.ts",
    search: `hasRoom),
          ...actorCheck(tenant, actor),`,
    replacement: `hasRoom),
          ...actorCheck(tenant, actor, actor?.userId),`,
    killedBy: {
      file: "test/features/webhooks/flows/create.test.ts",
      title: "a new endpoint is not created by a request in progress of an admin who was removed",
    },
  },
  {
    name: "a removed member keeps the access",
    file: "shared/features/access/store/memberships.ts",
    search: "to === null ? remove(users) : update(users",
    replacement: "to === null ? update(users, { set: { [A.op]: op } }, itemExists) : update(users",
    killedBy: { file: members, title: "a removal is made by an owner, and by each member of themselves" },
  },
  {
    name: "a revoked invite is accepted",
    file: "shared/features/access/store/invites.ts",
    search: "const isAcceptable = allOf(isPending, absentOr(above, A.expiresAt, now));",
    replacement: "const isAcceptable = absentOr(above, A.expiresAt, now);",
    killedBy: {
      file: "test/features/access/store/invites.test.ts",
      title: "a revoked invite is final, and its address can be invited again",
    },
  },
  {
    name: "an expired invite is accepted",
    file: "shared/features/access/store/invites.ts",
    search: "const isAcceptable = allOf(isPending, absentOr(above, A.expiresAt, now));",
    replacement: "const isAcceptable = isPending;",
    killedBy: {
      file: "test/features/access/store/invites.test.ts",
      title: "an accepted invite is refused at the instant of its expiry",
    },
  },
  {
    name: "a sign-in binds any number of invites",
    file: "shared/features/access/flows/team/claim-invites.ts",
    search: ".slice(0, INVITES_PER_SIGN_IN_MAX)",
    replacement: "",
    killedBy: {
      file: ownInvites,
      title: "a sign-in binds 20 invites, the operator's and the newest first, and the next sign-in the others",
    },
  },
  {
    name: "an admin invites an owner",
    file: "shared/features/access/flows/team/invites.ts",
    search: 'return role === "owner" ? "owner" : "admin";',
    replacement: 'return role === "owner" ? "admin" : "admin";',
    killedBy: { file: invites, title: "an invite is created by admins, and that of an owner by owners" },
  },
  {
    name: "the mails of invites have no cap",
    file: "shared/features/access/flows/team/invites.ts",
    search: `return retryAfter === null ? null : refuse("sign_in_limit", undefined, retryAfter);`,
    replacement: `return retryAfter === null || retryAfter > 0 ? null : refuse("sign_in_limit", undefined, retryAfter);`,
    killedBy: { file: invites, title: "an invite counts its mails in the address's cap" },
  },
  {
    name: "an invite that is refused counts a mail",
    file: "shared/features/access/flows/team/invites.ts",
    search: "if (await ports.invites.isAddressTaken(invite, { ...address, now }))",
    replacement: "if (now < 0 && (await ports.invites.isAddressTaken(invite, { ...address, now })))",
    killedBy: { file: invites, title: "an invite that is refused counts no mail, also when it is sent again" },
  },
  {
    name: "a membership of a suspended tenant that begins now is not suspended",
    file: "shared/features/access/store/invites.ts",
    search: "newMembershipItems(membership, isSuspended)",
    replacement: "newMembershipItems(membership, false)",
    killedBy: {
      file: acceptedInvites,
      title: "an accepted invite of a suspended tenant gives a suspended membership, which ends with the suspension",
    },
  },
  {
    name: "a suspension does not mark the members",
    file: "shared/features/tenants/flows/tenant-status.ts",
    search:
      "(await ports.tenantStatuses.markKeys(tenant, status)) && (await ports.tenantStatuses.markMembers(tenant, status))",
    replacement: "await ports.tenantStatuses.markKeys(tenant, status)",
    killedBy: {
      file: "test/features/access/routes/team.test.ts",
      title:
        "a suspended tenant refuses its members from the next request on, and accepts them again once it is resumed",
    },
  },
];
