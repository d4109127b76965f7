import { connectPageRoutes } from "#features/accounts/routes/connect-page.ts";
import { finishInstagram, finishMessenger } from "#features/accounts/routes/login.ts";
import { listPages, selectLoginPage } from "#features/accounts/routes/login-pages.ts";
import { loginStartRoutes } from "#features/accounts/routes/login-start.ts";
import { dataDeletionPageRoutes, platformCallbackRoutes } from "#features/accounts/routes/platform-callbacks.ts";
import type { SessionCredentialPorts } from "#http/credentials/caller-credentials.ts";
import type { PortsOf } from "#http/ports-of.ts";

/** Every route of the Connect function but its pages. */
export const connectApiRoutes = [
  ...loginStartRoutes,
  finishInstagram,
  finishMessenger,
  listPages,
  selectLoginPage,
  ...platformCallbackRoutes,
] as const;

/** Every route of the Connect function. */
export const connectRoutes = [...connectApiRoutes, ...connectPageRoutes, ...dataDeletionPageRoutes] as const;

/** The ports of the Connect function: those of its routes, and what its credentials need. */
export type ConnectFunctionPorts = PortsOf<typeof connectRoutes> & SessionCredentialPorts;
