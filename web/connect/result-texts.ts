import { loginErrorText } from "../common/login-errors.ts";
import type { Refused } from "./calls.ts";

// What the page says after a login and after a call.

export const UNREACHABLE = "No connection to Parley. Check your network, then try again.";

/** What to do about a refused call that reads. */
export function refusedReadText({ status, code }: Refused): string {
  if (code === "forbidden") {
    return "You have no access to this workspace, or it is suspended. Choose another workspace, or ask the operator of Parley.";
  }
  if (status === 429) return "Too many requests were made. Wait a minute, then try again.";
  return "Parley did not answer as expected. Try again in a minute.";
}

/** What to do about a refused call that connects or disconnects. */
export function refusedWriteText(refused: Refused): string {
  const { status, code, detail } = refused;
  if (code === "csrf_failed") return "Your session has changed. Reload this page, then try again.";
  if (code === "forbidden") return "Your role does not allow this any longer. Ask an admin or an owner.";
  if (code === "account_in_use" || code === "account_limit") return loginErrorText(code);
  if (code === "oauth_failed") {
    const reason = detail === "" ? "" : ` It says: “${detail}”`;
    return `The platform did not connect the account.${reason} If a permission is missing, start the login again and grant every permission. Otherwise try again in a few minutes.`;
  }
  if (code === "invalid_request")
    return "The page or its Instagram account is no longer offered. Start the login again.";
  return refusedReadText({ ...refused, status });
}
