import { fileURLToPath } from "node:url";
import { compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { journal } from "../ports/files.ts";
import { addressKeys, loginKeys, sessionKeys } from "../ports/keys.ts";
import {
  baseUrl,
  consoleOrigin,
  inviteLimits,
  isSignUpOpen,
  log,
  realtimeUrl,
  tenantLimits,
} from "../ports/process.ts";
import { mails, realtime } from "../ports/queues.ts";
import {
  audit,
  inviteCounts,
  invites,
  loginTokens,
  memberships,
  realtimeTickets,
  requestQuota,
  signInCaps,
  sockets,
  tenants,
  users,
} from "../ports/stores.ts";
import { readSignInPage } from "./page-files.ts";
import type { ConsolePorts } from "./routes.ts";

/** The build of the function puts the page beside the bundle. */
const SIGN_IN_PAGE_FOLDER = fileURLToPath(new URL("./sign-in", import.meta.url));

/** The ports of the console's routes. */
export function consolePorts(host: Host = processHost): ConsolePorts {
  return compose(host, {
    signInCaps,
    loginTokens,
    users,
    audit,
    journal,
    mails,
    invites,
    inviteCounts,
    inviteLimits,
    memberships,
    tenants,
    realtimeTickets,
    sockets,
    realtime,
    realtimeUrl,
    isSignUpOpen,
    tenantLimits,
    addressKeys,
    loginKeys,
    requestQuota,
    sessionKeys,
    consoleOrigin,
    baseUrl,
    pageFiles: () => host.pageFiles ?? readSignInPage(SIGN_IN_PAGE_FOLDER),
    log,
  });
}
