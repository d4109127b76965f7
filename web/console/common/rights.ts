import type { Operation } from "#client";
import type { Role } from "../data/types.ts";
import type { SidePage } from "../paths.ts";

export const roles = ["agent", "admin", "owner"] as const satisfies readonly Role[];

/** The least role of each call that is not everyone's, as the API declares it. */
export const leastRoles = {
  "DELETE /v1/accounts/{account_key}": "admin",
  "POST /oauth/instagram/start": "admin",
  "POST /oauth/messenger/start": "admin",
  "POST /oauth/messenger/select": "admin",
  "GET /v1/webhooks": "admin",
  "GET /v1/keys": "admin",
  "GET /v1/audit": "admin",
  "GET /console/team": "agent",
  "GET /console/invites": "admin",
  "PATCH /console/team/{user_id}": "owner",
  "PATCH /console/tenants/{slug}": "owner",
} as const satisfies Partial<Record<Operation, Role>>;

/** The call without which a page shows nothing. */
const pageCalls: Partial<Record<SidePage, keyof typeof leastRoles>> = {
  webhooks: "GET /v1/webhooks",
  keys: "GET /v1/keys",
  team: "GET /console/team",
  audit: "GET /v1/audit",
};

/** Whether a role may make a call. What it may not is absent from the page. */
export function may(role: Role, operation: keyof typeof leastRoles): boolean {
  return roles.indexOf(role) >= roles.indexOf(leastRoles[operation]);
}

/** Whether a role may open a page. */
export function mayOpen(role: Role, page: SidePage): boolean {
  const call = pageCalls[page];
  return call === undefined || may(role, call);
}
