import { expect, it } from "vitest";
import { env } from "../../../shared/config/names.ts";
import { accountsPerTenantSetting } from "../../../shared/config/settings.ts";

it("a tenant has at most 500 accounts, or as many as the operator sets", () => {
  expect(accountsPerTenantSetting({})).toBe(500);
  expect(accountsPerTenantSetting({ [env.accountsPerTenant]: "" })).toBe(500);
  expect(accountsPerTenantSetting({ [env.accountsPerTenant]: "7" })).toBe(7);
});

it.each(["0", "-1", "many", "1.5", "10000"])("the number of accounts %s stops the function", (text) => {
  expect(() => accountsPerTenantSetting({ [env.accountsPerTenant]: text })).toThrow(env.accountsPerTenant);
});
