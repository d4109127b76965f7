import type { Refusal } from "#base/kernel/refusals.ts";

/** Why a request has no caller, by the `detail` of its refusal, each with the message. All have the code `unauthorized`. */
const unauthorizedCauses = {
  no_credential: "Missing API key or session. Send Authorization: Bearer <API key>, or sign in.",
  no_session: "Missing session. Sign in. This route takes no API key.",
  wrong_scheme: "Unknown scheme in the Authorization header. Send Authorization: Bearer <API key>.",
  malformed_key:
    "Malformed API key. A key is svc_live_ or svc_test_ and 46 letters and digits. Copy it again as it was returned.",
  unknown_key: "Unknown API key. Use an active key of this deployment.",
  revoked_key: "The API key was revoked. Use another key.",
  invalid_session: "Malformed session cookie, or more than one. Sign in again.",
  session_ended: "The session has ended. Sign in again.",
} as const;

export type UnauthorizedCause = keyof typeof unauthorizedCauses;

/**
 * Refuses a request without a valid credential. Only the holder of a whole key learns that it was revoked: any other text
 * of a key's form is unknown, whether or not it resembles one that exists.
 */
export function refuseUnauthorized(cause: UnauthorizedCause): Refusal<"unauthorized"> {
  return { refused: "unauthorized", detail: cause, message: unauthorizedCauses[cause] };
}
