import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { CallFailure } from "#platforms/graph/account-platform.ts";

/** A platform's refusal of a login, or its missing answer. The detail of a refusal has no token and no code. */
export function loginFailed(failure: CallFailure): Refusal<"oauth_failed"> {
  return refuse(
    "oauth_failed",
    failure.kind === "refused" ? failure.detail : "the platform did not answer as expected",
  );
}

/** @param secret the field of the platform secrets that may be missing instead */
export function loginNotSet(setting: string, secret: "meta" | "instagram"): Refusal<"oauth_failed"> {
  return refuse("oauth_failed", `${setting} or the app secret ${secret} is not set`);
}

/** Why a platform returned no code: the person canceled, or the platform failed. @param error its name of the reason */
export function loginRefused(error: string): Refusal<"oauth_denied" | "oauth_failed"> {
  return error === "access_denied"
    ? refuse("oauth_denied")
    : refuse("oauth_failed", "the platform ended the login with an error");
}
