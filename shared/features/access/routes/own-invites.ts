import * as z from "zod/mini";
import { isRefusal } from "#base/kernel/refusals.ts";
import { isoOrNull } from "#base/kernel/time.ts";
import { once } from "#http/lazy-schemas.ts";
import { acceptOwnInvite, declineOwnInvite, type OwnInvite } from "../flows/team/own-invites.ts";
import { roles } from "../rules/callers.ts";
import { consoleEndpoint as endpoint } from "./endpoint.ts";
import { memberSchema, toMemberResponse } from "./team.ts";

// The invites of the signed-in person. Those of a tenant are in invites.ts.

const tag = "Sign-in";

export const ownInviteSchema = once(() =>
  z
    .object({
      id: z.string(),
      tenant: z.string(),
      name: z.string(),
      role: z.enum(roles),
      invited_by: z.string(),
      invited_by_email: z.nullable(z.string()),
      expires_at: z.nullable(z.iso.datetime()),
    })
    .register(z.globalRegistry, { id: "OwnInvite" }),
);

export function toOwnInviteResponse(invite: OwnInvite): z.infer<ReturnType<typeof ownInviteSchema>> {
  return {
    id: invite.id,
    tenant: invite.tenant,
    name: invite.name,
    role: invite.role,
    invited_by: invite.invitedBy,
    invited_by_email: invite.inviterEmail,
    expires_at: isoOrNull(invite.expiresAt),
  };
}

export const acceptInvite = endpoint.session({
  operation: "acceptInvite",
  method: "POST",
  path: "/console/invites/{id}/accept",
  tag,
  summary: "Accept an invite",
  tenant: "none",
  role: null,
  refusals: ["invite_not_found"],
  data: () => z.object({ membership: memberSchema() }),
  handle: async ({ author, path, now, ports }) => {
    const membership = await acceptOwnInvite(ports, { inviteId: path.id, author, now });
    return isRefusal(membership) ? membership : { membership: toMemberResponse(membership) };
  },
});

export const declineInvite = endpoint.session({
  operation: "declineInvite",
  method: "POST",
  path: "/console/invites/{id}/decline",
  tag,
  summary: "Decline an invite",
  tenant: "none",
  role: null,
  refusals: ["invite_not_found"],
  data: () => z.object({ declined: z.literal(true) }),
  handle: async ({ author, path, now, ports }) => {
    return (await declineOwnInvite(ports, { inviteId: path.id, author, now })) ?? { declined: true as const };
  },
});
