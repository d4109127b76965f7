import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { verifyHandshake, verifySignature } from "#platforms/graph/webhooks/signature.ts";

const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));

/** A null signature is no header. */
interface RefusedSignature {
  readonly title: string;
  readonly body: string;
  readonly signature: string | null;
  readonly secret: string;
}
const refusedSignatures: readonly RefusedSignature[] = read("refused-signatures.json");

interface RefusedHandshake {
  readonly title: string;
  readonly query: Parameters<typeof verifyHandshake>[0];
}
const refusedHandshakes: readonly RefusedHandshake[] = read("refused-handshakes.json");

const body = Buffer.from('{"object":"instagram","entry":[{"text":"\\u00e4\\u00f6"}]}');
const signatureHeader = (secret: string, bytes: Uint8Array = body) =>
  `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;

test("a webhook's signature is the HMAC-SHA256 of a known vector", () => {
  const header = "sha256=f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8";
  expect(verifySignature(Buffer.from("The quick brown fox jumps over the lazy dog"), header, ["key"])).toBe(true);
});

test("a webhook's signature is valid with any of the secrets, first or last", () => {
  expect(verifySignature(body, signatureHeader("instagram"), ["instagram", "meta"])).toBe(true);
  expect(verifySignature(body, signatureHeader("meta"), ["instagram", "meta"])).toBe(true);
  expect(
    verifySignature(body, signatureHeader("instagram").toUpperCase().replace("SHA256", "sha256"), ["instagram"]),
  ).toBe(true);
});

test("a webhook's signature is invalid with another secret, without one and with an empty one", () => {
  expect(verifySignature(body, signatureHeader("other"), ["instagram", "meta"])).toBe(false);
  expect(verifySignature(body, signatureHeader("meta"), [])).toBe(false);
  expect(verifySignature(body, signatureHeader(""), [""])).toBe(false);
});

test("a webhook's signature is invalid when a single byte of the body differs", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, at, flip) => {
      const altered = bytes.map((byte, index) => (index === at % bytes.length ? byte ^ flip : byte));
      expect(verifySignature(bytes, signatureHeader("meta", bytes), ["meta"])).toBe(true);
      expect(verifySignature(altered, signatureHeader("meta", bytes), ["meta"])).toBe(false);
    }),
  );
});

test("the signature that the refused ones are made of is valid", () => {
  expect(verifySignature(body, signatureHeader("meta"), ["meta"])).toBe(true);
  expect(refusedSignatures.find(({ title }) => title === "one digit long")?.signature).toBe(
    `${signatureHeader("meta")}0`,
  );
});

test.each(refusedSignatures)("a header that is $title is invalid", ({ body: text, signature, secret }) => {
  expect(verifySignature(Buffer.from(text), signature ?? undefined, [secret])).toBe(false);
});

const query = { mode: "subscribe", token: "verify-me", challenge: "1158201444" };

test("the platform's handshake returns the challenge unchanged", () => {
  expect(verifyHandshake(query, "verify-me")).toBe("1158201444");
  expect(verifyHandshake({ ...query, challenge: "c".repeat(1_024) }, "verify-me")).toBe("c".repeat(1_024));
});

const longChallenge = { title: "a challenge of 1,025 characters", query: { ...query, challenge: "c".repeat(1_025) } };

test.each([...refusedHandshakes, longChallenge])(
  "the platform's handshake is refused with $title",
  ({ query: wrong }) => {
    expect(verifyHandshake(wrong, "verify-me")).toBeNull();
  },
);

test("the platform's handshake is refused while no verify token is set", () => {
  expect(verifyHandshake({ ...query, token: "" }, "")).toBeNull();
});
