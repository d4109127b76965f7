import type { MailPorts } from "#features/access/flows/mails/ports.ts";
import { compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { addressKeys, loginKeys } from "../ports/keys.ts";
import { mail } from "../ports/outside.ts";
import { baseUrl, isSignUpOpen, log } from "../ports/process.ts";
import { mails, receivedMessages } from "../ports/queues.ts";
import { accounts, endpoints, invites, loginTokens, memberships, tenants, users } from "../ports/stores.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function mailPorts(host: Host = processHost): MailPorts & WorkerPorts {
  return compose(host, {
    users,
    invites,
    loginTokens,
    memberships,
    tenants,
    endpoints,
    accounts,
    mails,
    loginKeys,
    addressKeys,
    mail,
    baseUrl,
    isSignUpOpen,
    receivedMessages,
    log,
  });
}
