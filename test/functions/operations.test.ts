import { expect, it } from "vitest";
import { publishedRoutes } from "../../functions/published-routes.ts";

// The rows of `route-table` have the operationId of each route.

it("operationIds are unique and in camelCase", () => {
  const operations = publishedRoutes.map(({ operation }) => operation);
  expect(new Set(operations).size).toBe(operations.length);
  for (const operation of operations) expect(operation).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
});
