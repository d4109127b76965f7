import { CONNECT_PAGE_PATH } from "../../../shared/domain/accounts/login-results.ts";
import { pageFileEndpoints } from "../../http/page-files.ts";
import type { ConnectRoutePorts } from "../connect-endpoint.ts";

/** The files of the page that connects accounts. A console on another host has a page of its own. */
export const connectPageRoutes = pageFileEndpoints<ConnectRoutePorts>(
  "Connecting accounts",
  [
    [
      "getConnectPage",
      CONNECT_PAGE_PATH,
      "Get the page that connects accounts where no console is deployed",
      "no-store",
    ],
    ["getConnectScript", `${CONNECT_PAGE_PATH}.js`, "Get the script of the page that connects accounts", "no-cache"],
    [
      "getConnectStyle",
      `${CONNECT_PAGE_PATH}.css`,
      "Get the style sheet of the page that connects accounts",
      "no-cache",
    ],
  ],
  ({ consoleOrigin, baseUrl }) => consoleOrigin === new URL(baseUrl).origin,
);
