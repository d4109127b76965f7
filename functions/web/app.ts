import type { AppParts } from "#http/app.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import type { PortsOf } from "#http/ports-of.ts";
import { webRoutes } from "./routes.ts";

/** The console, the documentation and the OpenAPI document. It reads no table and needs no credential. */
export const webApp = (ports: PortsOf<typeof webRoutes>): AppParts<PortsOf<typeof webRoutes>> => ({
  endpoints: webRoutes,
  ports,
  credentials: noCredentials,
});
