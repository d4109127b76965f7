import { consoleLog } from "#base/aws/log.ts";
import { openMail } from "#base/aws/mail.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { isSignUpOpen, mailSettings, setting } from "#base/config/settings.ts";
import { openTable } from "#base/table/client.ts";
import type { MailPorts } from "#features/access/flows/mails/ports.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { loginTokenStore } from "#features/access/store/login-tokens.ts";
import { userStore } from "#features/access/store/users.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function mailPorts(): MailPorts & WorkerPorts {
  const table = openTable(setting("table"));
  const readKeys = serviceKeysReader(setting("rootSecretId"));
  const settings = mailSettings();
  return {
    users: userStore(table),
    invites: inviteStore(table),
    loginTokens: loginTokenStore(table),
    loginKeys: async (kid) => (await readKeys(kid)).loginLink,
    addressKeys: async (kid) => (await readKeys(kid)).address,
    mail: settings && openMail(settings),
    baseUrl: setting("baseUrl"),
    isSignUpOpen: isSignUpOpen(),
    receivedMessages: openReceivedMessages(),
    log: consoleLog,
  };
}
