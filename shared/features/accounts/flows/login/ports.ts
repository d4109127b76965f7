import type { Vault } from "#base/aws/vault.ts";
import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import type { Refusal } from "#base/kernel/refusals.ts";
import type { RequestTime } from "#base/kernel/request-time.ts";
import type { CallerAuthor, SessionCaller } from "#features/access/rules/callers.ts";
import type { LoginDialog } from "#platforms/graph/login.ts";
import type { InstagramLogin } from "#platforms/instagram/instagram-login.ts";
import type { FacebookLogin } from "#platforms/messenger/facebook-login.ts";
import type { Account, PlatformName } from "../../rules/accounts.ts";
import type { Accounts } from "../../store/accounts.ts";
import type { LoginStates } from "../../store/login-states.ts";
import type { PageChoices } from "../../store/page-choices.ts";
import type { ConnectReason, NewConnection } from "../connect.ts";

export interface LoginStatePorts {
  /** Seals the states of logins. */
  readonly loginStateKeys: ReadKeyRing;
}

export interface StartLoginPorts extends LoginStatePorts {
  /** Null where the operator has not set the app's id. */
  readonly loginDialogs: Readonly<Record<PlatformName, LoginDialog | null>>;
  /** The public URL of the API, which serves the callbacks. */
  readonly baseUrl: string;
}

export interface UseLoginPorts extends LoginStatePorts {
  readonly loginStates: LoginStates;
}

/** An account to connect, the person who logged in, and the time of the request. */
export interface LoginConnection
  extends Pick<NewConnection, "tenant" | "account" | "token" | "tokenExpiresAt" | "authorizedBy" | "pictureUrl"> {
  readonly author: CallerAuthor<SessionCaller>;
  readonly time: RequestTime;
}

/** Stores an account with its token, subscribes the app to its webhooks and publishes the event. */
export type ConnectAccount = (connection: LoginConnection) => Promise<Account | Refusal<ConnectReason>>;

/** The logins of the platforms. Null where the id or the secret of the app is not set. */
interface LoginPlatforms {
  readonly instagram: () => Promise<InstagramLogin | null>;
  readonly facebook: () => Promise<FacebookLogin | null>;
}

export interface InstagramLoginPorts extends Pick<StartLoginPorts, "baseUrl"> {
  readonly logins: Pick<LoginPlatforms, "instagram">;
  readonly connectAccount: ConnectAccount;
}

export interface MessengerLoginPorts extends Pick<StartLoginPorts, "baseUrl"> {
  readonly logins: Pick<LoginPlatforms, "facebook">;
  readonly vault: Pick<Vault, "seal">;
  readonly pageChoices: Pick<PageChoices, "save">;
}

/** What a person needs who chooses among their pages. */
export interface PagePorts {
  readonly logins: Pick<LoginPlatforms, "facebook">;
  readonly vault: Pick<Vault, "open">;
  readonly pageChoices: Pick<PageChoices, "get">;
  readonly accounts: Pick<Accounts, "list">;
}

export interface SelectPagePorts extends Omit<PagePorts, "accounts"> {
  readonly connectAccount: ConnectAccount;
}
