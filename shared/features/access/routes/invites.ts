import * as z from "zod/mini";
import { isRefusal } from "#base/kernel/refusals.ts";
import { iso, isoOrNull, type Millis } from "#base/kernel/time.ts";
import { emailAddress } from "#http/fields.ts";
import { once } from "#http/lazy-schemas.ts";
import {
  createInvite as create,
  listInvites as list,
  resendInvite as resend,
  revokeInvite as revoke,
} from "../flows/team/invites.ts";
import { roles } from "../rules/callers.ts";
import { type Invite, inviteStatus } from "../rules/team.ts";
import { consoleEndpoint as endpoint } from "./endpoint.ts";

const tag = "Team";

const inviteSchema = once(() =>
  z
    .object({
      id: z.string(),
      tenant: z.string(),
      email: z.string(),
      role: z.enum(roles),
      status: z.enum(["pending", "accepted", "declined", "revoked", "expired"]),
      invited_by: z.string(),
      created_at: z.iso.datetime(),
      expires_at: z.nullable(z.iso.datetime()),
      accepted_at: z.nullable(z.iso.datetime()),
    })
    .register(z.globalRegistry, { id: "Invite" }),
);

function toInviteResponse(invite: Invite, now: Millis): z.infer<ReturnType<typeof inviteSchema>> {
  return {
    id: invite.id,
    tenant: invite.tenant,
    email: invite.email,
    role: invite.role,
    status: inviteStatus(invite, now),
    invited_by: invite.invitedBy,
    created_at: iso(invite.createdAt),
    expires_at: isoOrNull(invite.expiresAt),
    accepted_at: isoOrNull(invite.acceptedAt),
  };
}

export const listInvites = endpoint.session({
  operation: "listInvites",
  method: "GET",
  path: "/console/invites",
  tag,
  summary: "List invites",
  tenant: "query",
  role: "admin",
  data: () => z.object({ invites: z.array(inviteSchema()) }),
  handle: async ({ tenant, now, ports }) => ({
    invites: (await list(ports, tenant, now)).map((invite) => toInviteResponse(invite, now)),
  }),
});

export const createInvite = endpoint.session({
  operation: "createInvite",
  method: "POST",
  path: "/console/invites",
  tag,
  summary: "Invite a person",
  status: 201,
  tenant: "query",
  role: "admin",
  body: () => z.object({ email: emailAddress, role: z.enum(roles) }),
  refusals: ["invite_exists", "invite_limit", "invite_mail_limit", "sign_in_limit", "tenant_not_found"],
  data: () => z.object({ invite: inviteSchema() }),
  handle: async ({ author, tenant, body, now, ports }) => {
    const invite = await create(ports, { tenant, ...body, author, now });
    return isRefusal(invite) ? invite : { invite: toInviteResponse(invite, now) };
  },
});

export const resendInvite = endpoint.session({
  operation: "resendInvite",
  method: "POST",
  path: "/console/invites/{id}/resend",
  tag,
  summary: "Send an invite again",
  tenant: "query",
  role: "admin",
  refusals: ["invite_not_found", "invite_exists", "invite_limit", "invite_mail_limit", "sign_in_limit"],
  data: () => z.object({ invite: inviteSchema() }),
  handle: async ({ author, tenant, path, now, ports }) => {
    const invite = await resend(ports, { tenant, inviteId: path.id, author, now });
    return isRefusal(invite) ? invite : { invite: toInviteResponse(invite, now) };
  },
});

export const revokeInvite = endpoint.session({
  operation: "revokeInvite",
  method: "DELETE",
  path: "/console/invites/{id}",
  tag,
  summary: "Revoke an invite",
  tenant: "query",
  role: "admin",
  refusals: ["invite_not_found"],
  data: () => z.object({ revoked: z.literal(true) }),
  handle: async ({ author, tenant, path, now, ports }) => {
    return (await revoke(ports, { tenant, inviteId: path.id, author, now })) ?? { revoked: true as const };
  },
});
