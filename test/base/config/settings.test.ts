import { expect, it } from "vitest";
import { env } from "#base/config/names.ts";
import { operatorLimitNames, operatorLimits } from "#base/config/operator-limits.ts";
import { accountsPerTenantSetting, limitSetting } from "#base/config/settings.ts";

it("a tenant has at most 500 accounts, or as many as the operator sets", () => {
  expect(accountsPerTenantSetting({})).toBe(500);
  expect(accountsPerTenantSetting({ [env.accountsPerTenant]: "" })).toBe(500);
  expect(accountsPerTenantSetting({ [env.accountsPerTenant]: "7" })).toBe(7);
});

it.each(["0", "-1", "many", "1.5", "10000"])("the number of accounts %s stops the function", (text) => {
  expect(() => accountsPerTenantSetting({ [env.accountsPerTenant]: text })).toThrow(env.accountsPerTenant);
});

it.each(operatorLimitNames)("%s has its default, or is as the operator sets it", (name) => {
  const { default: standard, max } = operatorLimits[name];
  expect(limitSetting(name, {})).toBe(standard);
  expect(limitSetting(name, { [env[name]]: "" })).toBe(standard);
  expect(limitSetting(name, { [env[name]]: "1" })).toBe(1);
  expect(limitSetting(name, { [env[name]]: String(max) })).toBe(max);
  for (const text of ["0", "-1", "many", "1.5", String(max + 1), "9999999"]) {
    expect(() => limitSetting(name, { [env[name]]: text })).toThrow(env[name]);
  }
});
