import { createInvite, listInvites, resendInvite, revokeInvite } from "./access/invites.ts";
import { acceptInvite, declineInvite } from "./access/own-invites.ts";
import { signInPageRoutes } from "./access/sign-in/pages.ts";
import { requestSignInLink } from "./access/sign-in/request.ts";
import { getSession, signOut } from "./access/sign-in/session.ts";
import { confirmSignIn, verifySignInLink } from "./access/sign-in/verify.ts";
import { listMembers, removeMember, updateMember } from "./access/team.ts";
import { createTenant, getTenant, listTenants, updateTenant } from "./access/tenants.ts";
import { createSessionTicket } from "./realtime/tickets.ts";

/** Every route of the console's API. */
export const consoleApiRoutes = [
  requestSignInLink,
  verifySignInLink,
  confirmSignIn,
  getSession,
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
