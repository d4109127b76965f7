import { expect, it } from "vitest";
import { randomToken, sha256Hex } from "#base/kernel/bytes.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { type LoginToken, loginTokenStore } from "#features/access/store/login-tokens.ts";
import { withFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";

const table = openedOnce(openTestTable);
const loginTokens = openedOnce(() => loginTokenStore(table));

const token: LoginToken = {
  sealedAddress: Uint8Array.of(1, 2, 3),
  sealedToken: Uint8Array.of(4, 5, 6),
  redirect: "/inbox?a=1",
  browserHash: "a hash",
  inviteId: "inv_1",
  language: "de",
  expiresAt: NOW + 15 * MINUTE,
};

async function newLink(overrides: Partial<LoginToken> = {}): Promise<string> {
  const loginId = sha256Hex(randomToken(8).toString("hex"));
  await loginTokens.create(loginId, { ...token, ...overrides });
  return loginId;
}

it("of twenty calls at once that consume a link, one gets it, and later ones get nothing", async () => {
  const loginId = await newLink();
  const results = await Promise.all(Array.from({ length: 20 }, () => loginTokens.consume(loginId, NOW)));
  expect(results.filter((result) => result !== null)).toEqual([{ ...token, mailedAt: null }]);
  expect(await loginTokens.consume(loginId, NOW)).toBeNull();
  expect(await loginTokens.get(loginId)).toBeNull();
});

it("a link is usable to the last millisecond of its time, and an unknown one never is", async () => {
  const loginId = await newLink();
  expect(await loginTokens.consume(loginId, token.expiresAt)).toBeNull();
  expect(await loginTokens.consume(loginId, token.expiresAt - 1)).toMatchObject({ redirect: token.redirect });
  expect(await loginTokens.consume(sha256Hex("unknown"), NOW)).toBeNull();
});

it("a link whose consumption lost its answer is consumed, and no one gets it", async () => {
  const loginId = await newLink();
  expect(await withFaults(table.client, "lost", () => loginTokens.consume(loginId, NOW))).toBeNull();
  expect(await loginTokens.get(loginId)).toBeNull();
});

it("one worker claims the mail of a link, and none that of a used or expired one", async () => {
  const loginId = await newLink();
  const claims = await Promise.all(
    Array.from({ length: 10 }, (_, i) => loginTokens.claimMail(loginId, { op: `op-${i}`, now: NOW + SECOND })),
  );
  expect(claims.filter(Boolean)).toHaveLength(1);
  expect(await loginTokens.get(loginId)).toEqual({ ...token, mailedAt: NOW + SECOND });
  expect(await loginTokens.consume(loginId, NOW + SECOND)).not.toBeNull();
  expect(await loginTokens.claimMail(loginId, { op: "late", now: NOW })).toBe(false);
  expect(await loginTokens.claimMail(await newLink(), { op: "late", now: token.expiresAt })).toBe(false);
});

it("a claim whose answer was lost is the worker's own, and another worker's is not", async () => {
  const loginId = await newLink();
  expect(await withFaults(table.client, "lost", () => loginTokens.claimMail(loginId, { op: "one", now: NOW }))).toBe(
    true,
  );
  expect(await loginTokens.claimMail(loginId, { op: "two", now: NOW })).toBe(false);
});

it("a claim that was given back can be made again, and only its own worker gives it back", async () => {
  const loginId = await newLink();
  await loginTokens.claimMail(loginId, { op: "one", now: NOW });
  await loginTokens.releaseMail(loginId, "two");
  expect(await loginTokens.claimMail(loginId, { op: "two", now: NOW })).toBe(false);
  await loginTokens.releaseMail(loginId, "one");
  expect(await loginTokens.get(loginId)).toEqual({ ...token, mailedAt: null });
  expect(await loginTokens.claimMail(loginId, { op: "two", now: NOW })).toBe(true);
  await loginTokens.consume(loginId, NOW);
  await loginTokens.releaseMail(loginId, "two");
  expect(await loginTokens.get(loginId)).toBeNull();
});
