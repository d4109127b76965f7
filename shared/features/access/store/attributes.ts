import { ttl } from "#base/table/attributes.ts";

/** A minute of a tenant also has the count of each caller: see `callerCount`. */
export const tenantRequestsAttributes = { ...ttl, count: "n" } as const;

export const tenantAttributes = {
  ...ttl,
  activeKeys: "kn",
  createdAt: "ca",
  deletedBy: "db",
  language: "lg",
  name: "n",
  ownerEmail: "ow",
  owners: "oc",
  status: "st",
  updatedAt: "ua",
} as const;

export const userAttributes = {
  createdAt: "ca",
  email: "em",
  lastSignInAt: "ls",
  name: "n",
  op: "o",
  /** The version of the root secret that ended the user's sessions because the one before was leaked. */
  rootKid: "rk",
  rootSince: "rs",
  sessionEpoch: "sv",
  tenantsDay: "td",
  tenantsOfDay: "tn",
} as const;

export const userAddressAttributes = { userId: "u" } as const;

/** The user's side and the tenant's side of a membership have the same name for the role. */
export const membershipAttributes = {
  createdAt: "ca",
  email: "em",
  invitedBy: "by",
  isSuspended: "su",
  name: "n",
  op: "o",
  role: "ro",
} as const;

/** The tenant's side of an invite. */
export const inviteAttributes = {
  ...ttl,
  acceptedAt: "aa",
  createdAt: "ca",
  email: "em",
  expiresAt: "ex",
  invitedBy: "by",
  mailedAt: "ma",
  op: "o",
  role: "ro",
  status: "st",
} as const;

/** The address's side of an invite. */
export const pendingInviteAttributes = { ...ttl, boundTo: "bu", expiresAt: "ex", inviteId: "id", role: "ro" } as const;

/** The ids of a tenant's pending invites. */
export const pendingInvitesAttributes = { ids: "p", op: "o" } as const;

export const apiKeyAttributes = {
  ...ttl,
  createdAt: "ca",
  hash: "kh",
  id: "id",
  /** Only `true` is stored. */
  isStrict: "sx",
  kind: "kd",
  label: "lb",
  lastUsedAt: "lu",
  op: "o",
  pepperKid: "pk",
  prefix: "pf",
  revokedAt: "rv",
  scope: "sc",
  status: "st",
  suspendedTenants: "su",
  tenants: "ts",
} as const;

export const loginTokenAttributes = {
  ...ttl,
  browserHash: "bh",
  expiresAt: "ex",
  inviteId: "iv",
  language: "lg",
  mailedAt: "ma",
  op: "o",
  redirect: "r",
  sealedAddress: "em",
  sealedToken: "tk",
} as const;

export const signInCapAttributes = { ...ttl, ops: "o" } as const;

export const auditAttributes = {
  ...ttl,
  action: "ac",
  actor: "by",
  detail: "dt",
  ip: "ip",
  resource: "rs",
} as const;
