import { fileURLToPath } from "node:url";
import { mediaOriginSettings, setting } from "#base/config/settings.ts";
import type { PortsOf } from "#http/ports-of.ts";
import { consolePolicy } from "./console-policy.ts";
import { readConsole, readDocs } from "./page-files.ts";
import type { webRoutes } from "./routes.ts";

/** The build of the function puts the pages beside the bundle. */
const folder = (name: "console" | "docs") => fileURLToPath(new URL(`./${name}`, import.meta.url));

/** The documentation, with the URL of this deployment in its examples, and the console, with its addresses in its policy. */
export function webPorts(): PortsOf<typeof webRoutes> {
  const sources = {
    socket: new URL(setting("realtimeUrl")).origin,
    storage: new URL(setting("uploadUrl")).origin,
    media: mediaOriginSettings(),
  };
  return {
    ...readDocs(folder("docs"), setting("baseUrl")),
    console: readConsole(folder("console")),
    consolePolicy: consolePolicy(sources),
  };
}
