import type { Millis } from "#base/kernel/time.ts";
import type { CallFailure } from "./account-platform.ts";

/** A person who has logged in. */
interface LoggedIn {
  readonly kind: "logged_in";
  /** The long-lived token. */
  readonly token: string;
  readonly expiresAt: Millis;
  /** Every id by which the platform may name the person, at least one. */
  readonly userIds: readonly string[];
}

/** An Instagram account as its platform names it. */
export interface LoginAccount {
  readonly externalId: string;
  readonly handle: string;
  readonly displayName: string;
}

/** A page that the person may use for messages. */
export interface LoginPage {
  readonly pageId: string;
  readonly name: string;
  readonly username: string | null;
  /** The page's token, which has no end. */
  readonly token: string;
  /** The Instagram account that is linked to the page. */
  readonly instagram: {
    readonly externalId: string;
    readonly username: string;
    readonly displayName: string;
  } | null;
}

/** Instagram Login, after its dialog. Its calls throw for no error of the platform or the network. */
export interface InstagramLogin {
  /**
   * Exchanges the code of a login. Refused with the class `permission` where the person left out the right to messages.
   * @param redirectUri the one of the login's dialog
   */
  logIn(code: string, redirectUri: string): Promise<(LoggedIn & { readonly account: LoginAccount }) | CallFailure>;
}

/** Facebook Login for pages, after its dialog. Its calls throw for no error of the platform or the network. */
export interface FacebookLogin {
  /** Exchanges the code of a login. @param redirectUri the one of the login's dialog */
  logIn(code: string, redirectUri: string): Promise<LoggedIn | CallFailure>;
  /** The pages for whose messages the person may act, at most 2,000. @param token of `logIn` */
  listPages(token: string): Promise<{ readonly kind: "listed"; readonly pages: readonly LoginPage[] } | CallFailure>;
}
