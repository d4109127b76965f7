import * as z from "zod/mini";
import { isRefusal } from "#base/kernel/refusals.ts";
import { iso } from "#base/kernel/time.ts";
import { once } from "#http/lazy-schemas.ts";
import { changeMemberRole, listMembers as list, removeMember as remove } from "../flows/team/members.ts";
import { roles } from "../rules/callers.ts";
import type { Membership } from "../rules/team.ts";
import { consoleEndpoint as endpoint } from "./endpoint.ts";

const tag = "Team";

export const memberSchema = once(() =>
  z
    .object({
      tenant: z.string(),
      user_id: z.string(),
      email: z.string(),
      name: z.nullable(z.string()),
      role: z.enum(roles),
      created_at: z.iso.datetime(),
      invited_by: z.nullable(z.string()),
    })
    .register(z.globalRegistry, { id: "Member" }),
);

export function toMemberResponse(member: Membership): z.infer<ReturnType<typeof memberSchema>> {
  return {
    tenant: member.tenant,
    user_id: member.userId,
    email: member.email,
    name: member.name,
    role: member.role,
    created_at: iso(member.createdAt),
    invited_by: member.invitedBy,
  };
}

export const listMembers = endpoint.session({
  operation: "listMembers",
  method: "GET",
  path: "/console/team",
  tag,
  summary: "List members",
  tenant: "query",
  role: "agent",
  data: () => z.object({ members: z.array(memberSchema()) }),
  handle: async ({ tenant, ports }) => ({ members: (await list(ports, tenant)).map(toMemberResponse) }),
});

export const updateMember = endpoint.session({
  operation: "updateMember",
  method: "PATCH",
  path: "/console/team/{user_id}",
  tag,
  summary: "Change a member's role",
  tenant: "query",
  role: "owner",
  body: () => z.object({ role: z.enum(roles) }),
  refusals: ["member_not_found", "last_owner"],
  data: () => z.object({ member: memberSchema() }),
  handle: async ({ author, tenant, path, body, now, ports }) => {
    const member = await changeMemberRole(ports, { tenant, userId: path.user_id, role: body.role, author, now });
    return isRefusal(member) ? member : { member: toMemberResponse(member) };
  },
});

export const removeMember = endpoint.session({
  operation: "removeMember",
  method: "DELETE",
  path: "/console/team/{user_id}",
  tag,
  summary: "Remove a member",
  tenant: "query",
  role: "agent",
  refusals: ["member_not_found", "last_owner"],
  data: () => z.object({ removed: z.literal(true) }),
  handle: async ({ author, tenant, path, now, ports }) => {
    return (await remove(ports, { tenant, userId: path.user_id, author, now })) ?? { removed: true as const };
  },
});
