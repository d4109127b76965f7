import type { PlatformName } from "../../../domain/accounts/accounts.ts";
import type { ReadKeyRing } from "../../../kernel/key-ring.ts";
import type { LoginDialog } from "../../../platforms/accounts/login-dialogs.ts";

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
