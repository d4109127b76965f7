import type { AppParts } from "#http/app.ts";
import { sessionCredentials } from "#http/credentials/caller-credentials.ts";
import { type ConsolePorts, consoleRoutes } from "./routes.ts";

/** The console's routes. People sign in by a mailed link; no API key is accepted. */
export const consoleApp = (ports: ConsolePorts): AppParts<ConsolePorts> => ({
  endpoints: consoleRoutes,
  ports,
  credentials: sessionCredentials(ports),
  cors: { origin: ports.consoleOrigin },
});
