import { parseTenant } from "#base/kernel/tenant.ts";
import { CONNECT_PAGE_PATH, isConsoleElsewhere } from "#features/access/rules/redirect-paths.ts";
import { movedPageEndpoints } from "#http/browser/moved-pages.ts";
import { pageFileEndpoints } from "#http/browser/page-files.ts";
import { accountsPath, loginResultQuery } from "../rules/login-results.ts";
import type { ConnectRoutePorts } from "./endpoint.ts";

const tag = "Connecting accounts";

/** Where the page that connects accounts was, and its script. A console on another host has a page of its own. */
const movedRoutes = movedPageEndpoints<ConnectRoutePorts>(
  tag,
  [
    ["getConnectPage", CONNECT_PAGE_PATH, "Redirect to the console's page of accounts", "no-store"],
    ["getConnectScript", `${CONNECT_PAGE_PATH}.js`, "Redirect from the script of the page that moved", "no-cache"],
  ],
  (ports, query) =>
    isConsoleElsewhere(ports)
      ? null
      : `${ports.consoleOrigin}${accountsPath(parseTenant(query.get("tenant") ?? ""))}${loginResultQuery(query)}`,
);

/** The style sheet of the page that asks before a login starts. */
const styleRoutes = pageFileEndpoints<ConnectRoutePorts>(tag, [
  [
    "getConnectStyle",
    `${CONNECT_PAGE_PATH}.css`,
    "Get the style sheet of the page that asks before a login starts",
    "no-cache",
  ],
]);

export const connectPageRoutes = [...movedRoutes, ...styleRoutes] as const;
