import type { AppParts } from "#http/app.ts";
import { sessionCredentials } from "#http/credentials/caller-credentials.ts";
import { type ConnectFunctionPorts, connectRoutes } from "./routes.ts";

/** The logins by which people connect accounts. No API key is accepted. */
export const connectApp = (ports: ConnectFunctionPorts): AppParts<ConnectFunctionPorts> => ({
  endpoints: connectRoutes,
  ports,
  credentials: sessionCredentials(ports),
  cors: { origin: ports.consoleOrigin },
});
