import { publishedRoutes } from "../../../../functions/published-routes.ts";
import { roles } from "../../../../web/console/common/rights.ts";

// What a role may do, as the routes of the API declare it.

export type Role = (typeof roles)[number];

/** The least role of each operation, such as `GET /v1/keys`; null where a route names none. */
export const leastRoles: ReadonlyMap<string, Role | null> = new Map(
  publishedRoutes.map(({ method, path, role }) => [`${method} ${path}`, role as Role | null]),
);

/** Whether a role may call an operation. Throws for one that no route is. */
export function may(role: Role, operation: string): boolean {
  const least = leastRoles.get(operation);
  if (least === undefined) throw new Error(`No route is ${operation}.`);
  return least === null || roles.indexOf(role) >= roles.indexOf(least);
}

/** The operations that a role may not call. */
export function refusedOperations(role: Role): readonly string[] {
  return [...leastRoles.keys()].filter((operation) => !may(role, operation));
}
