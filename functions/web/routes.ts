import { consolePageRoutes } from "./console-routes.ts";
import { docsRoutes } from "./docs-routes.ts";

/** Every route of the Web function. */
export const webRoutes = [...docsRoutes, ...consolePageRoutes] as const;
