import { describe, expect, it } from "vitest";
import { parseSignedRequest } from "#platforms/graph/webhooks/signed-request.ts";
import { signedRequest } from "./signed-requests.ts";

const secrets = ["meta", "meta-before", "instagram"];
const malformed = { kind: "malformed" };
const wrong = { kind: "wrong_signature" };
const payload = { algorithm: "HMAC-SHA256", issued_at: 1_700_000_000, user_id: "218471" };
const read = (text: string, known: readonly string[] = secrets) => parseSignedRequest(text, known);

describe("a signed request", () => {
  it("a signed request of another implementation is read", () => {
    // Signed by Python's `hmac` with the secret "secret".
    const text = "W2co9AyYZN2qtiPIcxV-BAK7Ac9iTgJcw1qk4lSm2cg.eyJhbGdvcml0aG0iOiJITUFDLVNIQTI1NiIsInVzZXJfaWQiOiIxIn0";
    expect(read(text, ["secret"])).toEqual({ kind: "signed", userId: "1", issuedAt: null });
  });

  it.each(secrets)("a signed request is signed with any of the secrets: %s", (secret) => {
    expect(read(signedRequest(payload, secret))).toEqual({
      kind: "signed",
      userId: "218471",
      issuedAt: 1_700_000_000_999,
    });
  });

  it("a signed request has a wrong signature with another secret, an empty one or none", () => {
    expect(read(signedRequest(payload, "other"))).toEqual(wrong);
    expect(read(signedRequest(payload, ""), [""])).toEqual(wrong);
    expect(read(signedRequest(payload, "meta"), [])).toEqual(wrong);
  });

  it("a signed request names its person by a text, or by a number however long", () => {
    const userIdOf = (json: string) => read(signedRequest(json, "meta"));
    const number = (digits: string) => `{"algorithm":"HMAC-SHA256","user_id":${digits}}`;
    for (const id of ["7", "17841405309211844", "178414053092118441234"]) {
      expect(userIdOf(number(id))).toEqual({ kind: "signed", userId: id, issuedAt: null });
    }
    for (const id of ["1e17", "1.5", "null", "true", '""', '"a#b"', '"a b"', `"${"1".repeat(65)}"`, '["1"]', "{}"]) {
      expect([id, userIdOf(number(id))]).toEqual([id, malformed]);
    }
    expect(userIdOf('{"algorithm":"HMAC-SHA256"}')).toEqual(malformed);
  });

  it.each([
    ["another algorithm", { ...payload, algorithm: "HMAC-SHA1" }],
    ["no algorithm", { user_id: "1" }],
    ["the algorithm in small letters", { ...payload, algorithm: "hmac-sha256" }],
    ["a list", [payload]],
    ["no object", "null"],
    ["no JSON", "{"],
    ["bytes that are not UTF-8", Buffer.from([0xff, 0xfe])],
    ["a byte order mark inside", "\ufeff\ufeff{}"],
  ])("a signed request whose signed payload has %s is malformed", (_what, content) => {
    expect(read(signedRequest(content, "meta"))).toEqual(malformed);
  });

  it("a signed request may have no time, and is malformed if its time is no second", () => {
    expect(read(signedRequest({ ...payload, issued_at: undefined }, "meta"))).toMatchObject({ issuedAt: null });
    for (const issued_at of [-1, 1.5, "1700000000", "soon", null, {}, [1], true]) {
      expect([issued_at, read(signedRequest({ ...payload, issued_at }, "meta"))]).toEqual([issued_at, malformed]);
    }
    expect(
      read(signedRequest('{"algorithm":"HMAC-SHA256","user_id":"1","issued_at":99999999999999999}', "meta")),
    ).toEqual(malformed);
  });

  const good = signedRequest(payload, "meta");
  const [signature = "", body = ""] = good.split(".");
  it.each([
    ["nothing", ""],
    ["a dot", "."],
    ["a signature alone", signature],
    ["no signature", `.${body}`],
    ["no payload", `${signature}.`],
    ["three parts", `${good}.${body}`],
    ["padding", `${signature}=.${body}`],
    ["white space", ` ${good}`],
    ["a line break", `${good}\n`],
    ["base64 with other letters", `${signature}.${body.slice(0, -2)}+/`],
    ["a letter outside of the alphabet", `${signature}.${body}é`],
    ["4,097 characters", signedRequest({ ...payload, more: "x".repeat(4_000) }, "meta")],
    ["a megabyte", "A".repeat(1 << 20)],
    ["many dots", ".".repeat(4_000)],
  ])("a signed request with %s is malformed", (_what, text) => {
    expect(read(text)).toEqual(malformed);
  });

  it("a signed request with one changed character is never read, and its bits beyond the last byte count", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (let at = 0; at < good.length; at++) {
      if (good[at] === ".") continue;
      const next = alphabet[(alphabet.indexOf(good[at] ?? "") + 1) % 64];
      expect([at, read(`${good.slice(0, at)}${next}${good.slice(at + 1)}`).kind]).not.toEqual([at, "signed"]);
    }
  });

  it("a signed request with a signature of another length or of another encoding is not signed", () => {
    const hex = Buffer.from(signature, "base64url").toString("hex");
    for (const other of [signature.slice(0, 20), Buffer.from(hex).toString("base64url"), "AA"]) {
      expect(read(`${other}.${body}`)).toEqual(wrong);
    }
  });
});
