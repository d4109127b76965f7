import { createHmac, randomBytes } from "node:crypto";
import { Webhook as Standard } from "standardwebhooks";
import { Webhook as Svix } from "svix";
import { expect, test } from "vitest";
import { signWebhook } from "#features/delivery/rules/deliveries.ts";
import { formatSigningSecret, secretPrefix } from "#features/webhooks/rules/endpoints.ts";
import { signWebhook as signAsDocumented } from "../../../packages/support/sign-webhook.ts";

const body = JSON.stringify({ id: "evt_1", text: "grüß dich ✓" });
const toStandardSecret = (secret: string) => secret.replace("whs_", "whsec_");

test("the published standardwebhooks and svix packages verify a delivery once the secret's prefix is replaced", () => {
  const secret = formatSigningSecret(randomBytes(32));
  const headers = { ...signWebhook([secret], "evt_1", body, Date.now()) };
  expect(new Standard(toStandardSecret(secret)).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Svix(toStandardSecret(secret)).verify(body, headers)).not.toThrow();
  expect(() => new Standard(toStandardSecret(secret)).verify(`${body} `, headers)).toThrow(
    "No matching signature found",
  );
  expect(() => new Svix(toStandardSecret(formatSigningSecret(randomBytes(32)))).verify(body, headers)).toThrow(
    "No matching signature found",
  );
});

test("during an overlap, either secret verifies in both families of headers", () => {
  const [newSecret, old] = [formatSigningSecret(randomBytes(32)), formatSigningSecret(randomBytes(32))];
  const now = Date.now();
  const headers = signWebhook([newSecret, old], "evt_1", body, now);
  for (const secret of [newSecret, old]) {
    expect(new Standard(toStandardSecret(secret)).verify(body, { ...headers })).toEqual(JSON.parse(body));
    const hex = createHmac("sha256", secret)
      .update(`${Math.floor(now / 1000)}.${body}`)
      .digest("hex");
    expect(headers["svc-signature"].split(",")).toContain(`v1=${hex}`);
  }
});

test.each([1, 2])(
  "a delivery with %i secrets has the headers that the client and the receivers are tested with",
  (count) => {
    const secrets = Array.from({ length: count }, () => formatSigningSecret(randomBytes(32)));
    const now = Date.now();
    expect({ ...signWebhook(secrets, "evt_1", body, now) }).toEqual(signAsDocumented(secrets, "evt_1", body, now));
  },
);

test("a secret is whs_ and 32 bytes in base64, of which twelve characters may be shown", () => {
  const secret = formatSigningSecret(Buffer.alloc(32, 1));
  expect(secret).toMatch(/^whs_[A-Za-z0-9+/]{43}=$/);
  expect(secretPrefix(secret)).toBe(secret.slice(0, 12));
});
