import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { verifyHandshake, verifySignature } from "#platforms/graph/webhooks/signature.ts";

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

const good = signatureHeader("meta");
test.each([
  ["missing", undefined],
  ["empty", ""],
  ["without its prefix", good.slice(7)],
  ["of the older kind", good.replace("sha256", "sha1")],
  ["one digit short", good.slice(0, -1)],
  ["one digit long", `${good}0`],
  ["not hexadecimal", `sha256=${"z".repeat(64)}`],
  ["followed by more", `${good}, ${good}`],
  ["followed by a line break", `${good}\n`],
])("a header that is %s is invalid", (_name, header) => {
  expect(verifySignature(body, header, ["meta"])).toBe(false);
});

const query = { mode: "subscribe", token: "verify-me", challenge: "1158201444" };

test("the platform's handshake returns the challenge unchanged", () => {
  expect(verifyHandshake(query, "verify-me")).toBe("1158201444");
  expect(verifyHandshake({ ...query, challenge: "c".repeat(1_024) }, "verify-me")).toBe("c".repeat(1_024));
});

test.each([
  ["another token", { ...query, token: "verify-mE" }],
  ["a longer token", { ...query, token: "verify-me " }],
  ["another mode", { ...query, mode: "unsubscribe" }],
  ["an empty challenge", { ...query, challenge: "" }],
  ["a challenge of 1,025 characters", { ...query, challenge: "c".repeat(1_025) }],
  ["no token", { mode: "subscribe", challenge: "1" }],
  ["no challenge", { mode: "subscribe", token: "verify-me" }],
  ["nothing at all", {}],
])("the platform's handshake is refused with %s", (_name, wrong) => {
  expect(verifyHandshake(wrong, "verify-me")).toBeNull();
});

test("the platform's handshake is refused while no verify token is set", () => {
  expect(verifyHandshake({ ...query, token: "" }, "")).toBeNull();
});
