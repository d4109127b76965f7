import type { Refused } from "./calls.ts";

// What the page says after a login and after a call.

const START_AGAIN = "Nothing was connected. Start the login again";

/** Error codes of a login and what to do. */
const loginErrors: Readonly<Record<string, string>> = {
  oauth_denied: `The login was canceled, or a permission was not granted. ${START_AGAIN} and grant every permission that it asks for.`,
  oauth_state_invalid: `The login took longer than 10 minutes, was used before, or was started in another browser. ${START_AGAIN} on this page.`,
  oauth_failed: `The platform did not complete the login. ${START_AGAIN} and grant every permission that it asks for. If it fails again, ask the operator of Parley to check the app's settings.`,
  account_in_use:
    "The account is connected to another workspace. Disconnect it there, wait two minutes, and connect it here.",
  account_limit:
    "This workspace has as many accounts as it may have. Disconnect one that you no longer need, or ask the operator of Parley for more.",
  forbidden:
    "You may not connect accounts in this workspace. Ask an admin or an owner. If the workspace is suspended, ask the operator of Parley.",
  unauthorized: `You were signed out during the login. ${START_AGAIN}.`,
  tenant_required: "No workspace was chosen. Choose a workspace, then start the login again.",
  rate_limited: "Too many requests were made. Wait a minute, then start the login again.",
};

/** @param code the code in the query of the page */
export function loginErrorText(code: string): string {
  // The text of a link of a stranger does not appear on the page.
  const errorText = Object.hasOwn(loginErrors, code) ? loginErrors[code] : undefined;
  return errorText ?? `The login failed. ${START_AGAIN} in a few minutes.`;
}

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
