import { expect, it } from "vitest";
import { deriveKey } from "#base/kernel/bytes.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import {
  isLoginCookie,
  loginCookie,
  newLoginState,
  openLoginState,
  sealLoginState,
} from "#features/accounts/flows/login/use-login.ts";
import { oneKeyRing } from "../../../../support/world/key-rings.ts";

const ring = oneKeyRing(deriveKey("the root of this deployment", "login-state"));
const now = 1_700_000_000_000;
const tenant = parseTenant("acme") as TenantId;
const login = { tenant, userId: "u1", redirect: "/accounts?a=1#b" };

it("the state of a login opens as it was sealed, for its platform alone, and lasts ten minutes", () => {
  const state = newLoginState(login, now);
  const sealed = sealLoginState(ring, "instagram", state);
  expect(openLoginState(ring, "instagram", sealed)).toEqual(state);
  expect(openLoginState(ring, "messenger", sealed)).toBeNull();
  expect(state.expiresAt).toBe(now + 10 * MINUTE);
  expect(sealed).toMatch(/^[\w-]{1,1000}$/);
});

it("the state of a login opens in no other deployment, and in no other form", () => {
  const sealed = sealLoginState(ring, "messenger", newLoginState(login, now));
  const elsewhere = oneKeyRing(deriveKey("the root of another deployment", "login-state"));
  expect(openLoginState(elsewhere, "messenger", sealed)).toBeNull();
  const changed = [...sealed].map(
    (letter, at) => sealed.slice(0, at) + (letter === "A" ? "B" : "A") + sealed.slice(at + 1),
  );
  const others = ["", "x", `${sealed}=`, ` ${sealed}`, `${sealed}A`, sealed.slice(1), "A".repeat(3_000), ...changed];
  for (const text of others) expect(openLoginState(ring, "messenger", text)).toBeNull();
});

it("the state of a login has a cookie of its own", () => {
  const [first, second] = [newLoginState(login, now), newLoginState(login, now)];
  expect(loginCookie(first).name).toMatch(/^parley_login_[0-9a-f]{8}$/);
  expect(loginCookie(first).name).not.toBe(loginCookie(second).name);
  expect(isLoginCookie(first, loginCookie(first).value)).toBe(true);
  for (const value of [loginCookie(second).value, "", first.nonce.slice(1)]) {
    expect(isLoginCookie(first, value)).toBe(false);
  }
});
