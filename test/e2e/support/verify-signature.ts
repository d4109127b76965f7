import { createHmac, timingSafeEqual } from "node:crypto";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { vi } from "vitest";
import type { ReceivedDelivery } from "./webhook-receiver.ts";

const TOLERANCE_SECONDS = 300;

/** A receiver's signature check, written only from docs/guides/webhooks.md. */
export function verifyAsDocumented(
  secret: string,
  { headers, raw }: Pick<ReceivedDelivery, "headers" | "raw">,
  now = Date.now(),
): boolean {
  const timestamp = String(headers["svc-timestamp"]);
  const age = Math.abs(now / 1_000 - Number(timestamp));
  if (!(age <= TOLERANCE_SECONDS)) return false;
  const expected = createHmac("sha256", secret)
    .update(Buffer.concat([Buffer.from(`${timestamp}.`), raw]))
    .digest();
  return String(headers["svc-signature"])
    .split(",")
    .map((part) => /^v1=([0-9a-f]{64})$/.exec(part.trim())?.[1])
    .some((hex) => hex !== undefined && timingSafeEqual(Buffer.from(hex, "hex"), expected));
}

type Verify = (secret: string, delivery: Pick<ReceivedDelivery, "headers" | "raw">, now?: number) => boolean;

/** The same check with the packages that receivers use. */
export const verifyPackages: Readonly<Record<"standardwebhooks" | "svix", Verify>> = {
  standardwebhooks: (secret, { headers, raw }, now) =>
    doesNotThrow(now, () =>
      new StandardWebhook(toStandardSecret(secret)).verify(raw, headers as Record<string, string>),
    ),
  svix: (secret, { headers, raw }, now) =>
    doesNotThrow(now, () => new SvixWebhook(toStandardSecret(secret)).verify(raw, headers as Record<string, string>)),
};

function toStandardSecret(secret: string): string {
  return secret.replace(/^whs_/, "whsec_");
}

/** Runs the check at an instant: the packages read the process's clock. */
function doesNotThrow(now: number | undefined, verify: () => unknown): boolean {
  if (now !== undefined) vi.setSystemTime(now);
  try {
    verify();
    return true;
  } catch {
    return false;
  } finally {
    if (now !== undefined) vi.useRealTimers();
  }
}
