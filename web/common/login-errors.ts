// What a page says after a login of a platform that failed.

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
