import type { AppParts } from "#http/app.ts";
import { callerCredentials } from "#http/credentials/caller-credentials.ts";
import { otherRoutes } from "./other-routes.ts";
import { type ApiPorts, apiRoutes } from "./routes.ts";

/** The HTTP API for tenants. */
export const apiApp = (ports: ApiPorts): AppParts<ApiPorts> => ({
  endpoints: apiRoutes,
  otherRoutes,
  ports,
  credentials: callerCredentials(ports),
  cors: { origin: ports.consoleOrigin },
});
