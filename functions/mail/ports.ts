import { openMail } from "#base/aws/mail.ts";
import { openQueue } from "#base/aws/queues.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { isSignUpOpen, mailSettings, setting } from "#base/config/settings.ts";
import type { MailPorts } from "#features/access/flows/mails/ports.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { loginTokenStore } from "#features/access/store/login-tokens.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { userStore } from "#features/access/store/users.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { type Host, processHost } from "../host.ts";
import { openServiceTable } from "../support/service-table.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function mailPorts(host: Host = processHost): MailPorts & WorkerPorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  const readKeys = serviceKeysReader(setting("rootSecretId", settings), clients.secrets);
  const sender = mailSettings(settings);
  return {
    users: userStore(table),
    invites: inviteStore(table),
    loginTokens: loginTokenStore(table),
    memberships: membershipStore(table),
    tenants: tenantStore(table),
    endpoints: endpointStore(table),
    accounts: accountStore(table),
    mails: openQueue(setting("mailsQueueUrl", settings), clients.sqs),
    loginKeys: async (kid) => (await readKeys(kid)).loginLink,
    addressKeys: async (kid) => (await readKeys(kid)).address,
    mail: clients.mail === undefined ? sender && openMail(sender, clients.ses) : clients.mail,
    baseUrl: setting("baseUrl", settings),
    isSignUpOpen: isSignUpOpen(settings),
    receivedMessages: openReceivedMessages(clients.sqs),
    log,
  };
}
