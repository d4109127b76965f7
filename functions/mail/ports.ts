import { consoleLog } from "../../shared/aws/log.ts";
import { openMail } from "../../shared/aws/mail.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import { serviceKeysReader } from "../../shared/aws/service-keys.ts";
import { isSignUpOpen, mailSettings, setting } from "../../shared/config/settings.ts";
import type { MailPorts } from "../../shared/flows/access/mails/ports.ts";
import { inviteStore } from "../../shared/stores/access/invites.ts";
import { loginTokenStore } from "../../shared/stores/access/login-tokens.ts";
import { userStore } from "../../shared/stores/access/users.ts";
import { openTable } from "../../shared/stores/client.ts";
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
