import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { signatureHeaders, wireJson } from "../../../packages/simulator/src/webhooks/signing.ts";

test("every character beyond ASCII is escaped in lowercase hex, surrogates one by one", () => {
  expect(wireJson({ text: "äöå ÿ" })).toBe('{"text":"\\u00e4\\u00f6\\u00e5 \\u00ff"}');
  expect(wireJson("🧡")).toBe('"\\ud83e\\udde1"');
  expect(wireJson('a"\n/')).toBe('"a\\"\\n/"');
});

test("the escaped form parses to the same value and is pure ASCII", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const wire = wireJson({ text });
      expect(JSON.parse(wire)).toEqual({ text });
      expect(Buffer.byteLength(wire)).toBe(wire.length);
    }),
  );
});

test("both signatures are HMACs of the body", () => {
  const body = wireJson({ text: "å" });
  const hmac = (name: string) => createHmac(name, "secret").update(Buffer.from(body)).digest("hex");
  expect(signatureHeaders(body, "secret")).toEqual({
    "X-Hub-Signature": `sha1=${hmac("sha1")}`,
    "X-Hub-Signature-256": `sha256=${hmac("sha256")}`,
  });
});
