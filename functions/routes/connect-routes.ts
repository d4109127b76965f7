import { finishInstagram, finishMessenger, startInstagramLogin, startMessengerLogin } from "./accounts/login.ts";
import { listPages, selectLoginPage } from "./accounts/login-pages.ts";

/** Every route of the Connect function. */
export const connectRoutes = [
  startInstagramLogin,
  finishInstagram,
  startMessengerLogin,
  finishMessenger,
  listPages,
  selectLoginPage,
] as const;
