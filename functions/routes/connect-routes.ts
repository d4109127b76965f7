import { startInstagramLogin, startMessengerLogin } from "./accounts/login.ts";

/** Every route of the Connect function. */
export const connectRoutes = [startInstagramLogin, startMessengerLogin] as const;
