import { createHmac, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { deriveServiceKeys } from "../../../../shared/aws/service-keys.ts";
import { openSession, sealSession } from "../../../../shared/flows/access/sessions.ts";
import type { KeyRing, KeyVersion } from "../../../../shared/kernel/key-ring.ts";
import { HOUR, SECOND } from "../../../../shared/kernel/time.ts";

const NOW = Date.parse("2026-05-04T10:00:00.700Z");
const USER = "usr_01JTCM0000000000000000000A";

function version(kid: string): KeyVersion {
  return { kid, key: randomBytes(32), sealsFrom: 0 };
}
const current = version("current1");
const ring: KeyRing = { current, previous: null, next: null };
const session = { userId: USER, epoch: 3, now: NOW };

interface Parts {
  readonly header: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
}

function readParts(token: string): Parts {
  const [header = "", claims = ""] = token.split(".").map((part) => Buffer.from(part, "base64url").toString());
  return { header: JSON.parse(header), claims: JSON.parse(claims) };
}

/** A token of these texts, signed with the current key as `HS256` is. */
function signTexts(header: string, claims: string, key: Buffer = current.key, hash = "sha256"): string {
  const signed = [header, claims].map((text) => Buffer.from(text).toString("base64url")).join(".");
  return `${signed}.${createHmac(hash, key).update(signed).digest("base64url")}`;
}

async function parts(): Promise<Parts> {
  return readParts((await sealSession(ring, session)).token);
}

describe("a session token", () => {
  it("names the person, the epoch and the CSRF token, and has its issuer, its audience and 12 hours", async () => {
    const { token, csrfToken } = await sealSession(ring, session);
    expect(await openSession(ring, token, NOW)).toEqual({ userId: USER, epoch: 3, csrfToken });
    const { header, claims } = readParts(token);
    expect(header).toEqual({ alg: "HS256", kid: "current1" });
    expect(Object.keys(claims).sort()).toEqual(["aud", "csrf", "exp", "iat", "iss", "jti", "sub", "sv"]);
    expect(claims).toMatchObject({ sub: USER, sv: 3, csrf: csrfToken, iss: "parley", aud: "parley-console" });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(12 * 3600);
    expect(Buffer.from(csrfToken, "base64url")).toHaveLength(16);
  });

  it("has its own CSRF token and id each time", async () => {
    const [first, second] = await Promise.all([sealSession(ring, session), sealSession(ring, session)]);
    expect(first.csrfToken).not.toBe(second.csrfToken);
    expect(readParts(first.token).claims.jti).not.toBe(readParts(second.token).claims.jti);
  });

  it("expires to the second", async () => {
    const { token } = await sealSession(ring, session);
    const end = NOW - (NOW % SECOND) + 12 * HOUR;
    expect(await openSession(ring, token, end - 1)).not.toBeNull();
    expect(await openSession(ring, token, end)).toBeNull();
  });

  it("opens with the previous key and with the next one, and not with one that has left the ring", async () => {
    const { token } = await sealSession(ring, session);
    const other = version("other123");
    expect(await openSession({ current: other, previous: current, next: null }, token, NOW)).not.toBeNull();
    expect(await openSession({ current: other, previous: null, next: current }, token, NOW)).not.toBeNull();
    expect(await openSession({ current: other, previous: null, next: null }, token, NOW)).toBeNull();
    // The kid decides, not a trial of each key.
    const renamed = { ...current, kid: "other123" };
    expect(await openSession({ current: renamed, previous: null, next: null }, token, NOW)).toBeNull();
  });

  it("opens in a process whose clock is behind the one that sealed it", async () => {
    const { token } = await sealSession(ring, session);
    expect(await openSession(ring, token, NOW - 5 * SECOND)).not.toBeNull();
  });

  it("is refused without any one of its claims", async () => {
    const { header, claims } = await parts();
    for (const missing of Object.keys(claims)) {
      const { [missing]: _, ...rest } = claims;
      const token = signTexts(JSON.stringify(header), JSON.stringify(rest));
      expect(await openSession(ring, token, NOW), missing).toBeNull();
    }
    expect(await openSession(ring, signTexts(JSON.stringify(header), JSON.stringify(claims)), NOW)).not.toBeNull();
  });

  it("is refused with a claim of another value or type", async () => {
    const { header, claims } = await parts();
    const changes: Record<string, unknown>[] = [
      { iss: "another" },
      { aud: "another" },
      { sub: 1 },
      { sub: null },
      { sv: "3" },
      { sv: null },
      { csrf: 1 },
      { csrf: null },
      { jti: 1 },
      { iat: String(claims.iat) },
      { exp: String(claims.exp) },
      { exp: 1e300 },
      { exp: Number(claims.exp) + 3600 },
      { iat: Number(claims.iat) - 1 },
      { nbf: Number(claims.iat) + 3600 },
    ];
    for (const change of changes) {
      const token = signTexts(JSON.stringify(header), JSON.stringify({ ...claims, ...change }));
      expect(await openSession(ring, token, NOW), JSON.stringify(change)).toBeNull();
    }
  });

  it("is refused with another header, signed or not", async () => {
    const { header, claims } = await parts();
    const headers: unknown[] = [
      { alg: "none", kid: "current1" },
      { alg: "None", kid: "current1" },
      { alg: "HS512", kid: "current1" },
      { alg: "RS256", kid: "current1" },
      { alg: "ES256", kid: "current1" },
      { alg: "HS256" },
      { alg: "HS256", kid: "unknown1" },
      { alg: "HS256", kid: "../current1" },
      { alg: "HS256", kid: 1 },
      { alg: "HS256", kid: "current1", crit: ["exp"], exp: 1 },
      { alg: "HS256", kid: "current1", crit: ["b64"], b64: false },
      { alg: "HS256", kid: "current1", jwk: { kty: "oct", k: "AAAA" } },
      { alg: "HS256", kid: "current1", jku: "https://keys.example/" },
      { kid: "current1", alg: "HS256" },
      [header],
      null,
    ];
    const text = JSON.stringify(claims);
    for (const each of headers) {
      expect(await openSession(ring, signTexts(JSON.stringify(each), text), NOW), JSON.stringify(each)).toBeNull();
    }
    const hs512 = signTexts(JSON.stringify({ alg: "HS512", kid: "current1" }), text, current.key, "sha512");
    expect(await openSession(ring, hs512, NOW)).toBeNull();
  });

  it("is refused when a header parameter or a claim is there twice", async () => {
    const { header, claims } = await parts();
    const [headerText, claimsText] = [JSON.stringify(header), JSON.stringify(claims)];
    const doubled = [
      signTexts(headerText, claimsText.replace(/}$/, `,"sub":"usr_other"}`)),
      signTexts(headerText, claimsText.replace(/^{/, `{"sub":"usr_other",`)),
      signTexts(headerText, claimsText.replace(/}$/, `,"exp":9999999999}`)),
      signTexts(headerText.replace(/}$/, `,"alg":"HS256"}`), claimsText),
      signTexts(headerText, `${claimsText} `),
    ];
    for (const token of doubled) expect(await openSession(ring, token, NOW), token).toBeNull();
  });

  it("is refused with another signature, and in another spelling of the same token", async () => {
    const { token } = await sealSession(ring, session);
    const [header = "", claims = "", signature = ""] = token.split(".");
    const altered = [
      `${header}.${claims}.`,
      `${header}.${claims}`,
      `${header}.${claims}.${"A".repeat(43)}`,
      `${header}.${claims}.${signature.slice(0, -1)}`,
      `${header}.${claims}.${signature}A`,
      `${token}=`,
      `${token} `,
      ` ${token}`,
      `"${token}"`,
      `${header} .${claims}.${signature}`,
      `${header}.${claims}.${signature}.${signature}`,
      token.toUpperCase(),
      token.replaceAll(".", ","),
      "",
      "..",
      "x".repeat(8 * 1024),
      `${header}.${"A".repeat(8 * 1024)}.${signature}`,
      signTexts(
        Buffer.from(header, "base64url").toString(),
        Buffer.from(claims, "base64url").toString(),
        randomBytes(32),
      ),
    ];
    for (const text of altered) expect(await openSession(ring, text, NOW), text.slice(0, 60)).toBeNull();
  });

  it("is refused with the unused bits of its signature changed", async () => {
    const { token } = await sealSession(ring, session);
    const last = token.slice(-1);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const position = alphabet.indexOf(last);
    const sameBits = alphabet[position % 4 === 3 ? position - 1 : position + 1] ?? "";
    const spelling = token.slice(0, -1) + sameBits;
    expect(Buffer.from(spelling.slice(-43), "base64url")).toEqual(Buffer.from(token.slice(-43), "base64url"));
    expect(await openSession(ring, spelling, NOW)).toBeNull();
  });
});

it("needs a root secret of at least 32 characters", () => {
  const derive = (text: string) => deriveServiceKeys({ current: { text, createdAt: 0 }, previous: null })(NOW);
  expect(() => derive("x".repeat(31))).toThrow("shorter than 32");
  expect(derive("x".repeat(32)).session.current.key).toHaveLength(32);
});
