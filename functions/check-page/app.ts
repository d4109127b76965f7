import type { CheckPagePorts } from "#features/holds/ports.ts";
import { checkPageRoutes } from "#features/holds/routes/check-page.ts";
import type { AppParts } from "#http/app.ts";
import { noCredentials } from "#http/credentials/credentials.ts";

/** The check page and its API. Callers authenticate with a hold's secret, never with an API key. */
export const checkPageApp = (ports: CheckPagePorts): AppParts<CheckPagePorts> => ({
  endpoints: checkPageRoutes,
  ports,
  credentials: noCredentials,
});
