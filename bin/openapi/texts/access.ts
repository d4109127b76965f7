import { oneOf, type Texts } from "../describe/texts.ts";

/** API keys, the audit log, members, invites and tenants. */
export const accessTexts: Texts = {
  "/v1/keys/{id}": "The id of the key, which is not its secret.",
  "/console/invites/{id}": "The id of the invite.",
  "/console/team/{user_id}": "The id of the person.",
  "/console/tenants/{slug}": "The slug of the tenant, which is its id.",

  listKeys:
    "Returns the keys of the tenant, oldest first, without pages. A revoked key is listed for 90 days. Secrets are not returned.",
  "ListKeysData.keys": "The keys of the tenant, also those that were revoked in the last 90 days.",
  createKey:
    "Creates a key of this tenant and returns its secret, which is never returned again. A test key creates only test keys: anything else is 403. A tenant has at most 50 active keys: 409 `key_limit`.",
  CreateKeyRequest: "The body of `createKey`. It may be absent.",
  "CreateKeyRequest.label": "A name for people, on one line. Absent: empty.",
  "CreateKeyData.secret": "The key itself: `svc_live_…` or `svc_test_…`. Store it now: no later response has it.",
  revokeKey:
    "Revokes the key: the next request with it is 401. Safe to repeat. A test key revokes only test keys. A key may revoke itself.",
  "RevokeKeyData.revoked": "Always `true`: the key no longer works.",
  Key: "An API key, without its secret.",
  "Key.id": "The id of the key, a ULID.",
  "Key.prefix": "The first characters of the secret, by which keys are distinguished.",
  "Key.label": "The name that its creator gave it. Empty without one.",
  "Key.status": oneOf("Whether the key works.", {
    active: "It works.",
    revoked: "It was revoked. It is listed for 90 days.",
  }),
  "Key.strict":
    "Whether a request of the key with a query parameter or a body field that its route does not know is a 400 that names the nearest one. Without it, they are ignored and named in the header `parley-ignored`.",
  "Key.last_used_at": "When it was last used, in ISO 8601, up to an hour old. Null if it never was.",

  listAuditEntries:
    "Returns who changed what in the last 400 days, newest first. `from` and `to` select by time, both included. With `action` or `actor` a page examines at most 200 entries: it may be short or empty and still return a `next_cursor`.",
  "listAuditEntries?from":
    "The earliest time, included: ISO 8601, in UTC when it names no zone, or epoch milliseconds.",
  "listAuditEntries?to": "The latest time, included: ISO 8601, in UTC when it names no zone, or epoch milliseconds.",
  "ListAuditEntriesData.audit": "The entries of this page. It may be empty while `next_cursor` is not null.",
  AuditEntry: "A change that somebody made. It never has content of messages, tokens or secrets.",
  "AuditEntry.id": "The id of the entry: `aud_` and a ULID.",
  "AuditEntry.resource": "What was changed, as `<type>:<id>`. A conversation is named by a part of the hash of its id.",
  "AuditEntry.actor": "Who did it: `console:<user_id>`, `key:<key_id>`, `operator:<key_id>`, `cli` or `system`.",
  "AuditEntry.ip": "The address from which it was requested. Null for Parley itself and the command line.",
  "AuditEntry.at": "When it was done, in ISO 8601 and UTC.",
  "AuditEntry.detail":
    "More about the change, such as counts, statuses or a time window. Empty when there is nothing more.",

  listMembers: "Returns the people with a role in the tenant, without pages.",
  "ListMembersData.members": "The members of the tenant.",
  updateMember:
    "Gives a member another role, from their next request on. A tenant keeps at least one owner: 409 `last_owner`.",
  UpdateMemberRequest: "The body of `updateMember`: the new role.",
  removeMember:
    "Removes a person from the tenant. Owners remove anyone, and each member themselves; anyone else gets 403. A tenant keeps at least one owner: 409 `last_owner`.",
  "RemoveMemberData.removed": "Always `true`: the person has no role in the tenant.",
  Member: "A person with a role in a tenant.",
  "Member.tenant": "The slug of the tenant.",
  "Member.user_id": "The id of the person: `usr_` and a ULID. It is the same in every tenant.",
  "Member.email": "The address with which the person signs in.",
  "Member.name": "The name that the person gave. Null until they do.",
  "Member.created_at": "When the person became a member, in ISO 8601 and UTC.",
  "Member.invited_by": "The id of the person who invited them. Null for the one who created the tenant.",

  listInvites:
    "Returns the invites of the tenant, oldest first, without pages. An invite that has ended is listed for 90 days.",
  "ListInvitesData.invites": "The invites of the tenant, also those that ended in the last 90 days.",
  createInvite:
    "Sends a mail that invites a person. They become a member when they accept within 7 days: by a sign-in from the mail, or by a press once they are signed in. A person who belongs to no tenant accepts their only invite by any sign-in. The mail contains no token. Only owners invite an owner. A second invite of the address is 409 `invite_exists`, and the 51st that waits is 409 `invite_limit`. The mails of a tenant and of a person are limited to 100 a day: 429.",
  "CreateInviteRequest.email": "The address to invite, of at most 254 characters.",
  revokeInvite:
    "Ends an invite that waits. Safe to repeat. One that was accepted or declined is final: remove the member, or invite the person again.",
  "RevokeInviteData.revoked": "Always `true`: the invite can no longer be accepted.",
  resendInvite:
    "Sends the mail again. The invite expires 7 days from now, also if it had expired. The mail counts toward the same limits as the first.",
  Invite: "An invite of a person to a tenant.",
  "Invite.id": "The id of the invite: `inv_` and a ULID.",
  "Invite.tenant": "The slug of the tenant.",
  "Invite.email": "The address that was invited.",
  "Invite.status": oneOf("The state of the invite.", {
    pending: "It waits for the person.",
    accepted: "The person is a member.",
    declined: "The person declined it.",
    revoked: "It was revoked.",
    expired: "It was not accepted within 7 days. It can be sent again.",
  }),
  "Invite.invited_by": "Who sent it: the id of a person, or the operator's command line.",
  "Invite.expires_at": "When it expires, in ISO 8601. Null for the owner whom the operator named.",
  "Invite.accepted_at": "When it was accepted, in ISO 8601. Null if it was not.",
  acceptInvite:
    "Makes you a member of the invite's tenant. Safe to repeat. An invite of another person, one that has ended, and one that no sign-in of yours has found are 404 `invite_not_found`.",
  declineInvite:
    "Ends the invite. You can be invited again. An invite of another person and one that has ended are 404 `invite_not_found`.",
  "DeclineInviteData.declined": "Always `true`: the invite has ended.",
  OwnInvite: "An invite that the signed-in person may accept or decline.",
  "OwnInvite.name": "The name of the tenant.",
  "OwnInvite.invited_by_email": "The address of the person who sent it. Null if it is not known.",

  listTenants: "Returns the tenants of which you are a member, with your role in each, without pages.",
  "ListTenantsData.tenants": "Your tenants. Empty if you belong to none.",
  createTenant:
    "Creates a tenant of which you are the owner. Only in a deployment with open sign-up: elsewhere it is 403. A slug that exists is 409 `tenant_exists`. A person owns at most 5 tenants and creates at most 2 in a day of UTC, unless the operator sets other numbers: 409 `workspace_limit`.",
  CreateTenantRequest: "The body of `createTenant`: a slug and a name.",
  "CreateTenantRequest.id":
    "The slug: 3 to 40 lowercase letters, digits and dashes, from a letter to a letter or digit. It cannot be changed.",
  getTenant: "Returns a tenant of which you are a member. Any other slug is 404 `tenant_not_found`.",
  updateTenant:
    "Changes the name of the tenant, the language of its mails, or both: a field that is absent stays as it is. Its slug stays. A slug of which you are no member is 404 `tenant_not_found`.",
  UpdateTenantRequest: "The body of `updateTenant`: what changes. At least one field.",
  "UpdateTenantRequest.name": "The name for people, on one line.",
  "UpdateTenantRequest.language": "The language of invites and notices by mail. Null: English.",
  Tenant: "A workspace: a business with its accounts, keys, conversations and endpoints.",
  "Tenant.id": "The slug of the tenant, which `tenant` takes elsewhere.",
  "Tenant.name": "The name for people, on one line.",
  "Tenant.language": "The language of invites and notices by mail. Null: English. Pages follow the browser.",
  OwnTenant: "A tenant with the role that the signed-in person has in it.",
  "OwnTenant.id": "The slug of the tenant, which `tenant` takes elsewhere.",
  "OwnTenant.name": "The name for people, on one line.",
  "OwnTenant.language": "The language of invites and notices by mail. Null: English. Pages follow the browser.",
  "OwnTenant.invited_by": "The id of the person who invited you. Null for a tenant that you created.",
  "OwnTenant.invited_by_email": "The address of the person who invited you. Null for a tenant that you created.",
};
