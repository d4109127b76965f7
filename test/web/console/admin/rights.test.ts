import { expect, it } from "vitest";
import { publishedRoutes } from "../../../../functions/published-routes.ts";
import { leastRoles, may, mayOpen } from "../../../../web/console/common/rights.ts";

it("the console knows the least role of a call as the route declares it", () => {
  const declared = Object.fromEntries(publishedRoutes.map(({ method, path, role }) => [`${method} ${path}`, role]));
  const compared = Object.keys(leastRoles).map((operation) => [operation, declared[operation]]);
  expect(leastRoles).toEqual(Object.fromEntries(compared));
});

it("an agent opens the inbox, the overview, what waits, the accounts and the team; an admin opens every page", () => {
  const pages = ["inbox", "overview", "waiting", "accounts", "webhooks", "keys", "team", "audit"] as const;
  expect(pages.filter((page) => mayOpen("agent", page))).toEqual([
    ...["inbox", "overview", "waiting", "accounts", "team"],
  ]);
  expect(pages.filter((page) => mayOpen("admin", page))).toEqual(pages);
  expect(may("admin", "PATCH /console/team/{user_id}")).toBe(false);
  expect(may("owner", "PATCH /console/team/{user_id}")).toBe(true);
});
