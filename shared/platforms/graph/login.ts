import type { Millis } from "#base/kernel/time.ts";

/** The page of a platform on which a person permits the app to use an account. */
export interface LoginDialog {
  /** @param redirectUri of this service, to which the platform sends the person with a code */
  authorizeUrl(state: string, redirectUri: string): string;
}

/** The URL of a dialog. @param page without a query */
export function dialogUrl(page: string, parameters: Readonly<Record<string, string>>): string {
  return `${page}?${new URLSearchParams(parameters)}`;
}

/** A person who has logged in. */
export interface LoggedIn {
  readonly kind: "logged_in";
  /** The long-lived token. */
  readonly token: string;
  readonly expiresAt: Millis;
  /** Every id by which the platform may name the person, at least one. */
  readonly userIds: readonly string[];
}
