import { fileURLToPath } from "node:url";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { serviceKeysReader } from "../../shared/aws/service-keys.ts";
import { isSignUpOpen, limitSetting, setting } from "../../shared/config/settings.ts";
import { auditStore } from "../../shared/stores/access/audit.ts";
import { inviteCountStore } from "../../shared/stores/access/invite-counts.ts";
import { inviteStore } from "../../shared/stores/access/invites.ts";
import { loginTokenStore } from "../../shared/stores/access/login-tokens.ts";
import { membershipStore } from "../../shared/stores/access/memberships.ts";
import { requestQuotaStore } from "../../shared/stores/access/request-quota.ts";
import { signInCapStore } from "../../shared/stores/access/sign-in-caps.ts";
import { tenantStore } from "../../shared/stores/access/tenants.ts";
import { userStore } from "../../shared/stores/access/users.ts";
import { openTable } from "../../shared/stores/client.ts";
import { socketStore } from "../../shared/stores/realtime/sockets.ts";
import { realtimeTicketStore } from "../../shared/stores/realtime/tickets.ts";
import type { ConsolePorts } from "../routes/console-endpoint.ts";
import { readSignInPage } from "./page-files.ts";

/** The build of the function puts the page beside the bundle. */
const SIGN_IN_PAGE_FOLDER = fileURLToPath(new URL("./sign-in", import.meta.url));

/** The ports of the console's routes. */
export function consolePorts(): ConsolePorts {
  const table = openTable(setting("table"));
  const root = serviceKeysReader(setting("rootSecretId"));
  return {
    signInCaps: signInCapStore(table),
    loginTokens: loginTokenStore(table),
    users: userStore(table),
    audit: auditStore(table),
    mails: openQueue(setting("mailsQueueUrl")),
    invites: inviteStore(table),
    inviteCounts: inviteCountStore(table),
    inviteLimits: {
      pending: limitSetting("pendingInvitesPerTenant"),
      tenantMails: limitSetting("inviteMailsPerTenantPerDay"),
      personMails: limitSetting("inviteMailsPerPersonPerDay"),
    },
    memberships: membershipStore(table),
    tenants: tenantStore(table),
    realtimeTickets: realtimeTicketStore(table),
    sockets: socketStore(table),
    realtime: openQueue(setting("realtimeQueueUrl")),
    realtimeUrl: setting("realtimeUrl"),
    isSignUpOpen: isSignUpOpen(),
    tenantLimits: { perOwner: limitSetting("tenantsPerOwner"), perDay: limitSetting("tenantsPerDay") },
    addressKeys: async (kid) => (await root(kid)).address,
    loginKeys: async (kid) => (await root(kid)).loginLink,
    requestQuota: requestQuotaStore(table, limitSetting("requestsPerTenantPerMinute")),
    sessionKeys: async (kid) => (await root(kid)).session,
    consoleOrigin: new URL(setting("consoleUrl")).origin,
    baseUrl: setting("baseUrl"),
    pageFiles: readSignInPage(SIGN_IN_PAGE_FOLDER),
    log: consoleLog,
  };
}
