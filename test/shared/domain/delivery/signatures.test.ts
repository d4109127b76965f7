import { createHmac, randomBytes } from "node:crypto";
import { Webhook as Standard } from "standardwebhooks";
import { Webhook as Svix } from "svix";
import { expect, test } from "vitest";
import { sign } from "../../../../shared/domain/delivery/signatures.ts";
import { formatSigningSecret, secretPrefix } from "../../../../shared/domain/webhooks/endpoints.ts";

const body = JSON.stringify({ id: "evt_1", text: "grüß dich ✓" });
const forPackages = (secret: string) => secret.replace("whs_", "whsec_");

test("a delivery is verified by the published standardwebhooks and svix packages, with its secret's prefix exchanged", () => {
  const secret = formatSigningSecret(randomBytes(32));
  const headers = { ...sign([secret], "evt_1", body, Date.now()) };
  expect(new Standard(forPackages(secret)).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Svix(forPackages(secret)).verify(body, headers)).not.toThrow();
  expect(() => new Standard(forPackages(secret)).verify(`${body} `, headers)).toThrow();
  expect(() => new Svix(forPackages(formatSigningSecret(randomBytes(32)))).verify(body, headers)).toThrow();
});

test("during an overlap either secret verifies, in both families of headers", () => {
  const [fresh, old] = [formatSigningSecret(randomBytes(32)), formatSigningSecret(randomBytes(32))];
  const now = Date.now();
  const headers = sign([fresh, old], "evt_1", body, now);
  for (const secret of [fresh, old]) {
    expect(new Standard(forPackages(secret)).verify(body, { ...headers })).toEqual(JSON.parse(body));
    const hex = createHmac("sha256", secret)
      .update(`${Math.floor(now / 1000)}.${body}`)
      .digest("hex");
    expect(headers["svc-signature"].split(",")).toContain(`v1=${hex}`);
  }
});

test("a secret is whs_ and 32 bytes in base64, of which twelve characters may be shown", () => {
  const secret = formatSigningSecret(Buffer.alloc(32, 1));
  expect(secret).toMatch(/^whs_[A-Za-z0-9+/]{43}=$/);
  expect(secretPrefix(secret)).toBe(secret.slice(0, 12));
});
