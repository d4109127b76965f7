import { fileURLToPath } from "node:url";
import { openQueue } from "#base/aws/queues.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { isSignUpOpen, limitSetting, setting } from "#base/config/settings.ts";
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
import { type Host, processHost } from "../host.ts";
import { hostJournal } from "../support/journal.ts";
import { openServiceTable } from "../support/service-table.ts";
import { readSignInPage } from "./page-files.ts";
import type { ConsolePorts } from "./routes.ts";

/** The build of the function puts the page beside the bundle. */
const SIGN_IN_PAGE_FOLDER = fileURLToPath(new URL("./sign-in", import.meta.url));

/** The ports of the console's routes. */
export function consolePorts(host: Host = processHost): ConsolePorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  const root = serviceKeysReader(setting("rootSecretId", settings), clients.secrets);
  return {
    signInCaps: signInCapStore(table),
    loginTokens: loginTokenStore(table),
    users: userStore(table),
    audit: auditStore(table),
    journal: hostJournal(host, table),
    mails: openQueue(setting("mailsQueueUrl", settings), clients.sqs),
    invites: inviteStore(table),
    inviteCounts: inviteCountStore(table),
    inviteLimits: {
      pending: limitSetting("pendingInvitesPerTenant", settings),
      tenantMails: limitSetting("inviteMailsPerTenantPerDay", settings),
      personMails: limitSetting("inviteMailsPerPersonPerDay", settings),
    },
    memberships: membershipStore(table),
    tenants: tenantStore(table),
    realtimeTickets: realtimeTicketStore(table),
    sockets: socketStore(table),
    realtime: openQueue(setting("realtimeQueueUrl", settings), clients.sqs),
    realtimeUrl: setting("realtimeUrl", settings),
    isSignUpOpen: isSignUpOpen(settings),
    tenantLimits: {
      perOwner: limitSetting("tenantsPerOwner", settings),
      perDay: limitSetting("tenantsPerDay", settings),
    },
    addressKeys: async (kid) => (await root(kid)).address,
    loginKeys: async (kid) => (await root(kid)).loginLink,
    requestQuota: requestQuotaStore(table, limitSetting("requestsPerTenantPerMinute", settings)),
    sessionKeys: async (kid) => (await root(kid)).session,
    consoleOrigin: new URL(setting("consoleUrl", settings)).origin,
    baseUrl: setting("baseUrl", settings),
    pageFiles: host.pageFiles ?? readSignInPage(SIGN_IN_PAGE_FOLDER),
    log,
  };
}
