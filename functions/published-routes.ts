import { checkPageRoutes } from "#features/holds/routes/check-page.ts";
import { intakeRoutes } from "#features/inbox/routes/intake.ts";
import { apiRoutes } from "./api/routes.ts";
import { connectRoutes } from "./connect/routes.ts";
import { consoleRoutes } from "./console/routes.ts";
import { webRoutes } from "./web/routes.ts";

/** Every route that a deployment serves, of every function. No function imports this file. */
export const publishedRoutes = [
  ...apiRoutes,
  ...consoleRoutes,
  ...connectRoutes,
  ...checkPageRoutes,
  ...intakeRoutes,
  ...webRoutes,
] as const;
