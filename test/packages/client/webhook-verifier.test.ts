import { createHmac, randomBytes } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { ParleyError, verifyWebhook } from "#client";
import { SECRET, signedCases } from "../../docs/support/signed-cases.ts";
import { signWebhook } from "../support/sign-webhook.ts";

const NOW = Date.UTC(2026, 10, 23, 3);
const event = { id: "evt_1", type: "message.received", data: { message: { text: "Grüße 👩🏽‍🚀" } } };
const body = JSON.stringify(event);
const newSecret = () => `whs_${randomBytes(32).toString("base64")}`;
const signed = (secrets: readonly string[], text = body) => ({ ...signWebhook(secrets, "evt_1", text, NOW) });
const pick = (headers: Record<string, string>, prefix: string) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix)));

/** The code of the error, or null when the delivery is accepted. */
const verdict = (...args: Parameters<typeof verifyWebhook>): Promise<string | null> =>
  verifyWebhook(...args).then(
    () => null,
    (error) => (error instanceof ParleyError ? error.code : String(error)),
  );

describe("the cases that every documented receiver passes", () => {
  test.each(signedCases)(
    "the verdict of the client on $title is $valid",
    async ({ body: bytes, timestamp, signature, secret, now, valid }) => {
      const headers = {
        ...(timestamp === null ? {} : { "svc-timestamp": timestamp }),
        ...(signature === null ? {} : { "svc-signature": signature }),
      };
      const code = await verdict({ body: bytes, headers }, secret, { now: now * 1_000 });
      // A signed body that is no event, such as an empty one, passes the check of the signature.
      expect([null, "unexpected_response"].includes(code)).toBe(valid);
      if (!valid) expect(["signature_invalid", "invalid_argument"]).toContain(code);
    },
  );
});

describe.each(["svc-", "webhook-"])("the headers %s*", (prefix) => {
  const headers = (secrets: readonly string[]) => pick(signed(secrets), prefix);

  test("the signed headers give the event", async () => {
    expect(await verifyWebhook({ body, headers: headers([SECRET]) }, SECRET, { now: NOW })).toEqual(event);
  });

  test("the signed headers may be those of fetch or of Node.js, in any case, with a body of any kind", async () => {
    const list = headers([SECRET]);
    const upper = Object.fromEntries(Object.entries(list).map(([name, value]) => [name.toUpperCase(), value]));
    const arrays = Object.fromEntries(Object.entries(list).map(([name, value]) => [name, [value]]));
    const ownClass = { get: (name: string) => list[name as keyof typeof list] ?? null } as never;
    for (const form of [list, new Headers(list), upper, arrays, ownClass]) {
      expect(await verdict({ body, headers: form }, SECRET, { now: NOW })).toBeNull();
    }
    const bytes = new TextEncoder().encode(body);
    for (const form of [bytes, Buffer.from(body), bytes.buffer, Buffer.from(`..${body}`).subarray(2)]) {
      expect(await verdict({ body: form, headers: list }, SECRET, { now: NOW })).toBeNull();
    }
  });

  test("the signed headers during an overlap match either secret, and any of the receiver's", async () => {
    const [previous, next, other] = [newSecret(), newSecret(), newSecret()];
    const list = headers([next, previous]);
    for (const secrets of [next, previous, [other, previous], [next, other]]) {
      expect(await verdict({ body, headers: list }, secrets, { now: NOW })).toBeNull();
    }
    expect(await verdict({ body, headers: list }, other, { now: NOW })).toBe("signature_invalid");
    expect(await verdict({ body, headers: headers([other]) }, [next, previous], { now: NOW })).toBe(
      "signature_invalid",
    );
  });

  test.each([
    [-301_000, false],
    [-300_000, true],
    [300_999, true],
    [301_000, false],
  ])("a signature at %i ms of the receiver's clock is %s", async (ms, isAccepted) => {
    const code = await verdict({ body, headers: headers([SECRET]) }, SECRET, { now: NOW + ms });
    expect(code).toBe(isAccepted ? null : "signature_invalid");
  });

  test("the signed headers match no other body, and no header that was changed in one character", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 90 }), fc.boolean(), async (at, shift, inBody) => {
        const list: Record<string, string> = headers([SECRET]);
        const names = Object.keys(list);
        const name = names[at % names.length] ?? "";
        const changed = (text: string) => {
          const index = at % text.length;
          const code = 33 + ((text.charCodeAt(index) - 33 + shift) % 91);
          return `${text.slice(0, index)}${String.fromCharCode(code)}${text.slice(index + 1)}`;
        };
        const request = inBody
          ? { body: changed(body), headers: list }
          : { body, headers: { ...list, [name]: changed(list[name] ?? "") } };
        if (JSON.stringify(request) === JSON.stringify({ body, headers: list })) return;
        expect(await verdict(request, SECRET, { now: NOW })).toBe("signature_invalid");
      }),
      { numRuns: 300 },
    );
  });
});

test.each([
  ["an object", event],
  ["a list", [1, 2]],
  ["nothing", undefined],
  ["null", null],
])("a parsed body is named as the problem: %s", async (_name, parsed) => {
  const verification = verifyWebhook({ body: parsed as never, headers: signed([SECRET]) }, SECRET, { now: NOW });
  await expect(verification).rejects.toMatchObject({
    code: "invalid_argument",
    message: "The body is parsed or missing. Pass the raw bytes of the request, before any body parser.",
  });
});

test("a signature whose last character differs only in its unused bits is refused", async () => {
  const signature = new Webhook(SECRET.replace("whs_", "whsec_")).sign("evt_1", new Date(NOW), body);
  const next = String.fromCharCode(signature.charCodeAt(signature.length - 2) + 1);
  const verdictOf = (text: string) => {
    const headers = { "webhook-id": "evt_1", "webhook-timestamp": String(NOW / 1_000), "webhook-signature": text };
    return verdict({ body, headers }, SECRET, { now: NOW });
  };
  expect(await verdictOf(signature)).toBeNull();
  const other = `${signature.slice(0, -2)}${next}=`;
  expect(Buffer.from(other.slice(3), "base64")).toEqual(Buffer.from(signature.slice(3), "base64"));
  expect(await verdictOf(other)).toBe("signature_invalid");
});

test("a delivery signed by the published standardwebhooks package is accepted", async () => {
  const secret = newSecret();
  const signature = new Webhook(secret.replace("whs_", "whsec_")).sign("evt_1", new Date(NOW), body);
  const headers = { "webhook-id": "evt_1", "webhook-timestamp": String(NOW / 1_000), "webhook-signature": signature };
  expect(await verifyWebhook({ body, headers }, secret, { now: NOW })).toEqual(event);
  const otherId = { ...headers, "webhook-id": "evt_2" };
  expect(await verdict({ body, headers: otherId }, secret, { now: NOW })).toBe("signature_invalid");
});

test("Svc-Signature counts where both families are sent", async () => {
  const headers = { ...signed([SECRET]), "svc-signature": `v1=${"0".repeat(64)}` };
  expect(await verdict({ body, headers }, SECRET, { now: NOW })).toBe("signature_invalid");
});

test.each(["", "whs_", "whs_?", "undefined", SECRET.slice(4), `whsec_${SECRET.slice(4)}`, `${SECRET}\n`])(
  "the secret %j is never a key",
  async (secret) => {
    const signature = `v1=${createHmac("sha256", secret)
      .update(`${NOW / 1_000}.${body}`)
      .digest("hex")}`;
    const headers = { "svc-timestamp": String(NOW / 1_000), "svc-signature": signature };
    expect(await verdict({ body, headers }, secret, { now: NOW })).toBe("invalid_argument");
    expect(await verdict({ body, headers }, [SECRET, secret], { now: NOW })).toBe("invalid_argument");
    expect(await verdict({ body, headers }, [], { now: NOW })).toBe("invalid_argument");
  },
);

test("a thousand digests and a header that is repeated end in a refusal", async () => {
  const digests = Array.from({ length: 1_000 }, () => `v1=${randomBytes(32).toString("hex")}`);
  const headers = { "svc-timestamp": String(NOW / 1_000), "svc-signature": digests.join(",") };
  expect(await verdict({ body, headers }, SECRET, { now: NOW })).toBe("signature_invalid");
  const list = signed([SECRET]);
  const twice = { ...list, "svc-timestamp": [list["svc-timestamp"], list["svc-timestamp"]] };
  expect(await verdict({ body, headers: twice }, SECRET, { now: NOW })).toBe("signature_invalid");
});

test.each(["", "null", "[]", "{}", '{"id":1,"type":"x"}', "<html>"])("the signed body %j is no event", async (text) => {
  expect(await verdict({ body: text, headers: signed([SECRET], text) }, SECRET, { now: NOW })).toBe(
    "unexpected_response",
  );
});

test("an event of an unknown type is accepted", async () => {
  const later = { id: "evt_2", type: "message.translated", data: {} };
  const text = JSON.stringify(later);
  expect(await verifyWebhook({ body: text, headers: signed([SECRET], text) }, SECRET, { now: NOW })).toEqual(later);
});
