import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { Account } from "./accounts.ts";

/** The account cannot send. The platform is not called. */
export type AccountRefusal = Refusal<"account_needs_reauth" | "account_restricted">;

/** The refusal of an account that cannot send; null when it can, or when its restriction is due for another try. */
export function checkAccount({ status, retryAt }: Account, now: Millis): AccountRefusal | null {
  if (status === "needs_reauth") return refuse("account_needs_reauth", status);
  if (status !== "restricted") return null;
  if (retryAt === null) return refuse("account_restricted", status);
  return now < retryAt ? refuse("account_restricted", status, Math.ceil((retryAt - now) / SECOND)) : null;
}
