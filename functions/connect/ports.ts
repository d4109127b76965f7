import { fileURLToPath } from "node:url";
import { parseSignedRequest } from "#platforms/graph/webhooks/signed-request.ts";
import { compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { loginDialogs, logins } from "../ports/account-platforms.ts";
import { connectAccount } from "../ports/connecting.ts";
import { journal } from "../ports/files.ts";
import { dataDeletionKeys, loginStateKeys, platformSecrets, sessionKeys, vault } from "../ports/keys.ts";
import { baseUrl, consoleOrigin } from "../ports/process.ts";
import { accountWork } from "../ports/queues.ts";
import {
  accountChecks,
  accounts,
  authorizations,
  dataDeletions,
  loginStates,
  memberships,
  pageChoices,
  requestQuota,
  tenants,
  users,
} from "../ports/stores.ts";
import { readDataDeletionPage, readLoginStartPage } from "./page-files.ts";
import type { ConnectFunctionPorts } from "./routes.ts";

/** The build of the function puts the pages beside the bundle. */
const LOGIN_START_PAGE_FOLDER = fileURLToPath(new URL("./login-start", import.meta.url));
const DATA_DELETION_PAGE_FOLDER = fileURLToPath(new URL("./data-deletion", import.meta.url));

/** The ports of the logins by which people connect accounts, and of the requests of the platforms. */
export function connectPorts(host: Host = processHost): ConnectFunctionPorts {
  return compose(host, {
    journal,
    authorizations,
    dataDeletions,
    dataDeletionKeys,
    accountWork,
    platformSecrets,
    parseSignedRequest: () => parseSignedRequest,
    users,
    tenants,
    memberships,
    requestQuota,
    sessionKeys,
    loginStateKeys,
    loginDialogs,
    logins,
    loginStates,
    pageChoices,
    accounts,
    accountChecks,
    vault,
    connectAccount,
    consoleOrigin,
    baseUrl,
    pageFiles: () =>
      host.pageFiles ??
      new Map([...readLoginStartPage(LOGIN_START_PAGE_FOLDER), ...readDataDeletionPage(DATA_DELETION_PAGE_FOLDER)]),
  });
}
