import { connectPageRoutes } from "./accounts/connect-page.ts";
import { dataDeletionPageRoutes, dutyRoutes } from "./accounts/duties.ts";
import { finishInstagram, finishMessenger } from "./accounts/login.ts";
import { listPages, selectLoginPage } from "./accounts/login-pages.ts";
import { loginStartRoutes } from "./accounts/login-start.ts";

/** Every route of the Connect function but its pages. */
export const connectApiRoutes = [
  ...loginStartRoutes,
  finishInstagram,
  finishMessenger,
  listPages,
  selectLoginPage,
  ...dutyRoutes,
] as const;

/** Every route of the Connect function. */
export const connectRoutes = [...connectApiRoutes, ...connectPageRoutes, ...dataDeletionPageRoutes] as const;
