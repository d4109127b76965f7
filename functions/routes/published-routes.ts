import { connectRoutes } from "./connect-routes.ts";
import { consoleRoutes } from "./console-routes.ts";
import { docsRoutes } from "./docs/docs.ts";
import { checkRoutes } from "./holds/check.ts";
import { intakeRoutes } from "./inbox/intake.ts";
import { apiRoutes } from "./index.ts";

/** Every route that a deployment serves, of every function. No function imports this file. */
export const publishedRoutes = [
  ...apiRoutes,
  ...consoleRoutes,
  ...connectRoutes,
  ...checkRoutes,
  ...intakeRoutes,
  ...docsRoutes,
] as const;
