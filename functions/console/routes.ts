import { createInvite, listInvites, resendInvite, revokeInvite } from "#features/access/routes/invites.ts";
import { acceptInvite, declineInvite } from "#features/access/routes/own-invites.ts";
import { signInPageRoutes } from "#features/access/routes/sign-in/pages.ts";
import { requestSignInLink } from "#features/access/routes/sign-in/request.ts";
import { getSession, signOut, updateSession } from "#features/access/routes/sign-in/session.ts";
import { confirmSignIn, verifySignInLink } from "#features/access/routes/sign-in/verify.ts";
import { listMembers, removeMember, updateMember } from "#features/access/routes/team.ts";
import { createSessionTicket } from "#features/realtime/routes.ts";
import { createTenant, getTenant, listTenants, updateTenant } from "#features/tenants/routes.ts";
import type { SessionCredentialPorts } from "#http/credentials/caller-credentials.ts";
import type { PortsOf } from "#http/ports-of.ts";

/** Every route of the console's API. */
export const consoleApiRoutes = [
  requestSignInLink,
  verifySignInLink,
  confirmSignIn,
  getSession,
  updateSession,
  signOut,
  listMembers,
  updateMember,
  removeMember,
  listInvites,
  createInvite,
  resendInvite,
  revokeInvite,
  acceptInvite,
  declineInvite,
  listTenants,
  createTenant,
  getTenant,
  updateTenant,
  createSessionTicket,
] as const;

/** Every route of the Console function. */
export const consoleRoutes = [...consoleApiRoutes, ...signInPageRoutes] as const;

/** The ports of the Console function: those of its routes, and what its credentials need. */
export type ConsolePorts = PortsOf<typeof consoleRoutes> & SessionCredentialPorts;
