import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

const TOLERANCE_SECONDS = 300;

/** Verifies the signature and the timestamp. `rawBody` is the unparsed body; `now` is in milliseconds. */
export function verify(rawBody: Uint8Array, headers: IncomingHttpHeaders, secret: string, now = Date.now()): boolean {
  const timestamp = String(headers["svc-timestamp"]);
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Math.floor(now / 1000) - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const digest = createHmac("sha256", secret).update(`${timestamp}.`).update(rawBody).digest("hex");
  const expected = Buffer.from(`v1=${digest}`);
  return String(headers["svc-signature"])
    .split(",")
    .map((part) => Buffer.from(part.trim()))
    .some((candidate) => candidate.length === expected.length && timingSafeEqual(candidate, expected));
}
