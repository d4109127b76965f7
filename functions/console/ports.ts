import { fileURLToPath } from "node:url";
import { consoleLog } from "#base/aws/log.ts";
import { openQueue } from "#base/aws/queues.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { isSignUpOpen, limitSetting, setting } from "#base/config/settings.ts";
import { openTable } from "#base/table/client.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { inviteCountStore } from "#features/access/store/invite-counts.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { loginTokenStore } from "#features/access/store/login-tokens.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { requestQuotaStore } from "#features/access/store/request-quota.ts";
import { signInCapStore } from "#features/access/store/sign-in-caps.ts";
import { userStore } from "#features/access/store/users.ts";
import { socketStore } from "#features/realtime/store/sockets.ts";
import { realtimeTicketStore } from "#features/realtime/store/tickets.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { readSignInPage } from "./page-files.ts";
import type { ConsolePorts } from "./routes.ts";

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
