import { connectPageRoutes } from "./accounts/connect-page.ts";
import { finishInstagram, finishMessenger, startInstagramLogin, startMessengerLogin } from "./accounts/login.ts";
import { listPages, selectLoginPage } from "./accounts/login-pages.ts";

/** Every route of the Connect function but the files of its page. */
export const connectApiRoutes = [
  startInstagramLogin,
  finishInstagram,
  startMessengerLogin,
  finishMessenger,
  listPages,
  selectLoginPage,
] as const;

/** Every route of the Connect function. */
export const connectRoutes = [...connectApiRoutes, ...connectPageRoutes] as const;
