import { pageFileEndpoints } from "#http/browser/page-files.ts";
import { CONNECT_PAGE_PATH } from "../rules/login-results.ts";
import type { ConnectRoutePorts } from "./endpoint.ts";

const tag = "Connecting accounts";
const script = `${CONNECT_PAGE_PATH}.js`;
const style = `${CONNECT_PAGE_PATH}.css`;

/** The files of the page that connects accounts. A console on another host has a page of its own. */
const accountPageRoutes = pageFileEndpoints<ConnectRoutePorts>(
  tag,
  [
    ["getConnectPage", CONNECT_PAGE_PATH, "Get the page that connects accounts on the host of the API", "no-store"],
    ["getConnectScript", script, "Get the script of the page that connects accounts", "no-cache"],
  ],
  ({ consoleOrigin, baseUrl }) => consoleOrigin === new URL(baseUrl).origin,
);

/** The page that asks before a login starts has the same style, also beside a console on another host. */
const styleRoutes = pageFileEndpoints<ConnectRoutePorts>(tag, [
  ["getConnectStyle", style, "Get the style sheet of the pages that connect accounts", "no-cache"],
]);

export const connectPageRoutes = [...accountPageRoutes, ...styleRoutes] as const;
