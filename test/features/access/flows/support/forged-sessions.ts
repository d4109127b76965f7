import { createHmac, randomBytes } from "node:crypto";
import type { KeyVersion } from "#base/kernel/key-ring.ts";

type Parts = Readonly<Record<"header" | "claims", Record<string, unknown>>>;

export function readTokenParts(token: string): Parts {
  const [header = "", claims = ""] = token.split(".").map((part) => Buffer.from(part, "base64url").toString());
  return { header: JSON.parse(header), claims: JSON.parse(claims) };
}

/** A token of these texts, signed as HS256 is. */
export function signTexts(key: Buffer, header: string, claims: string, hash = "sha256"): string {
  const signed = [header, claims].map((text) => Buffer.from(text).toString("base64url")).join(".");
  return `${signed}.${createHmac(hash, key).update(signed).digest("base64url")}`;
}

/**
 * Tokens that must not open, by what is wrong with them. Those with other texts are signed with the true key, which is
 * more than an attacker can do.
 * @param token a valid one, sealed with the key
 */
export function forgedTokens({ kid, key }: KeyVersion, token: string): Readonly<Record<string, string>> {
  const { header, claims } = readTokenParts(token);
  const [headerText, claimsText] = [JSON.stringify(header), JSON.stringify(claims)];
  const sign = (newHeader: string, newClaims: string, hash?: string) => signTexts(key, newHeader, newClaims, hash);
  const [headerPart = "", claimsPart = "", signature = ""] = token.split(".");
  const forged: Record<string, string> = {};

  for (const name of Object.keys(claims)) {
    const { [name]: _, ...rest } = claims;
    forged[`without the claim ${name}`] = sign(headerText, JSON.stringify(rest));
  }
  const changes: Record<string, unknown>[] = [
    { iss: "another" },
    { aud: "another" },
    { sub: 1 },
    { sub: null },
    { sv: String(claims.sv) },
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
    forged[`with the claims ${JSON.stringify(change)}`] = sign(headerText, JSON.stringify({ ...claims, ...change }));
  }
  const headers: unknown[] = [
    { alg: "none", kid },
    { alg: "None", kid },
    { alg: "HS512", kid },
    { alg: "RS256", kid },
    { alg: "ES256", kid },
    { alg: "HS256" },
    { alg: "HS256", kid: "unknown1" },
    { alg: "HS256", kid: `../${kid}` },
    { alg: "HS256", kid: 1 },
    { alg: "HS256", kid, crit: ["exp"], exp: 1 },
    { alg: "HS256", kid, crit: ["b64"], b64: false },
    { alg: "HS256", kid, jwk: { kty: "oct", k: "AAAA" } },
    { alg: "HS256", kid, jku: "https://keys.example/" },
    { kid, alg: "HS256" },
    [header],
    null,
  ];
  for (const each of headers) {
    const text = JSON.stringify(each);
    forged[`with the header ${text}`] = sign(text, claimsText);
    forged[`with the header ${text} and no signature`] = `${sign(text, claimsText).replace(/[^.]*$/, "")}`;
  }
  const last = token.slice(-1);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return {
    ...forged,
    "signed as HS512": sign(JSON.stringify({ alg: "HS512", kid }), claimsText, "sha512"),
    "with a claim twice, the last another": sign(headerText, claimsText.replace(/}$/, `,"sub":"usr_other"}`)),
    "with a claim twice, the first another": sign(headerText, claimsText.replace(/^{/, `{"sub":"usr_other",`)),
    "with a later end besides": sign(headerText, claimsText.replace(/}$/, `,"exp":9999999999}`)),
    "with a header parameter twice": sign(headerText.replace(/}$/, `,"alg":"HS256"}`), claimsText),
    "with a space after its claims": sign(headerText, `${claimsText} `),
    "of another secret": signTexts(randomBytes(32), headerText, claimsText),
    "of an empty secret": signTexts(Buffer.alloc(0), headerText, claimsText),
    "with an empty signature": `${headerPart}.${claimsPart}.`,
    "without a signature": `${headerPart}.${claimsPart}`,
    "with a signature of zeros": `${headerPart}.${claimsPart}.${"A".repeat(43)}`,
    "with a shorter signature": token.slice(0, -1),
    "with a longer signature": `${token}A`,
    // 32 bytes fill 43 characters but for two bits of the last one.
    "with other unused bits in its signature": token.slice(0, -1) + alphabet[alphabet.indexOf(last) + 1],
    "with padding": `${token}=`,
    "with a space in it": `${headerPart} .${claimsPart}.${signature}`,
    "of four parts": `${token}.${signature}`,
    "in capital letters": token.toUpperCase(),
    "with commas for dots": token.replaceAll(".", ","),
    "in quotes": `"${token}"`,
    "percent-encoded": token.replace(".", "%2E"),
    "of dots": "..",
    empty: "",
    "of 8 KB without dots": "x".repeat(8 * 1024),
    "of 8 KB of claims": `${headerPart}.${"A".repeat(8 * 1024)}.${signature}`,
  };
}
