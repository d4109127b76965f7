/** The roles of a tenant's members. Each one also has the permissions of those before it. */
export const roles = ["agent", "admin", "owner"] as const;
export type Role = (typeof roles)[number];

/** @param least the role that is needed at least */
export function hasRole(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}
