import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { deriveServiceKeys } from "#base/aws/service-keys.ts";
import type { KeyRing, KeyVersion } from "#base/kernel/key-ring.ts";
import { HOUR, SECOND } from "#base/kernel/time.ts";
import { openSession, sealSession, sessionKid } from "#features/access/sessions.ts";
import { forgedTokens, readTokenParts, signTexts } from "./support/forged-sessions.ts";

const NOW = Date.parse("2026-05-04T10:00:00.700Z");
const USER = "usr_01JTCM0000000000000000000A";

function version(kid: string): KeyVersion {
  return { kid, key: randomBytes(32), sealsFrom: 0 };
}
const current = version("current1");
const ring: KeyRing = { current, previous: null, next: null };
const session = { userId: USER, epoch: 3, now: NOW };

it("a session token names the person, the epoch and the CSRF token, and has its issuer, its audience and 12 hours", async () => {
  const { token, csrfToken } = await sealSession(ring, session);
  const { header, claims } = readTokenParts(token);
  const expiresAt = Number(claims.exp) * SECOND;
  const named = { userId: USER, epoch: 3, csrfToken, kid: "current1", expiresAt };
  expect(await openSession(ring, token, NOW)).toEqual(named);
  expect(header).toEqual({ alg: "HS256", kid: "current1" });
  expect(Object.keys(claims).sort()).toEqual(["aud", "csrf", "exp", "iat", "iss", "jti", "sub", "sv"]);
  expect(claims).toMatchObject({ sub: USER, sv: 3, csrf: csrfToken, iss: "parley", aud: "parley-console" });
  expect(Number(claims.exp) - Number(claims.iat)).toBe(12 * 3600);
  expect(Buffer.from(csrfToken, "base64url")).toHaveLength(16);
});

it("a session token has its own CSRF token and id each time", async () => {
  const [first, second] = await Promise.all([sealSession(ring, session), sealSession(ring, session)]);
  expect(first.csrfToken).not.toBe(second.csrfToken);
  expect(readTokenParts(first.token).claims.jti).not.toBe(readTokenParts(second.token).claims.jti);
});

it("a session token expires to the second", async () => {
  const { token } = await sealSession(ring, session);
  const end = NOW - (NOW % SECOND) + 12 * HOUR;
  expect(await openSession(ring, token, end - 1)).not.toBeNull();
  expect(await openSession(ring, token, end)).toBeNull();
});

it("a session token opens with the previous key and with the next one, and not with one that has left the ring", async () => {
  const { token } = await sealSession(ring, session);
  const other = version("other123");
  expect(await openSession({ current: other, previous: current, next: null }, token, NOW)).not.toBeNull();
  expect(await openSession({ current: other, previous: null, next: current }, token, NOW)).not.toBeNull();
  expect(await openSession({ current: other, previous: null, next: null }, token, NOW)).toBeNull();
  // The kid decides, not a trial of each key.
  const renamed = { ...current, kid: "other123" };
  expect(await openSession({ current: renamed, previous: null, next: null }, token, NOW)).toBeNull();
});

it("a session token opens in a process whose clock is behind the one that sealed it", async () => {
  const { token } = await sealSession(ring, session);
  expect(await openSession(ring, token, NOW - 5 * SECOND)).not.toBeNull();
});

it("a session token is refused in any other form, also if it is signed with the true key", async () => {
  const { token } = await sealSession(ring, session);
  const { header, claims } = readTokenParts(token);
  expect(signTexts(current.key, JSON.stringify(header), JSON.stringify(claims))).toBe(token);
  const forged = Object.entries(forgedTokens(current, token));
  expect(forged.length).toBeGreaterThan(70);
  for (const [flaw, text] of forged) expect(await openSession(ring, text, NOW), flaw).toBeNull();
});

it("a session token names its key by the kid of its header, and any other text names none", async () => {
  const { token } = await sealSession(ring, session);
  expect(sessionKid(token)).toBe(current.kid);
  const [, payload = "", tag = ""] = token.split(".");
  const header = (text: string) => `${Buffer.from(text).toString("base64url")}.${payload}.${tag}`;
  const others = [
    "",
    "x",
    `${token}A`,
    token.slice(1),
    `.${payload}.${tag}`,
    header('{"kid":"current1"}'),
    header('"kid":"a"'),
  ];
  for (const other of [...others, "x".repeat(9_000)]) expect(sessionKid(other), other).toBeUndefined();
});

it("the service needs a root secret of at least 32 characters", () => {
  const derive = (text: string) => deriveServiceKeys({ current: { text, createdAt: 0 }, previous: null })(NOW);
  expect(() => derive("x".repeat(31))).toThrow("less than 32");
  expect(derive("x".repeat(32)).session.current.key).toHaveLength(32);
});
