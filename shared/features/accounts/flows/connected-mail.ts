import type { Mail } from "#base/aws/mail.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { joinParagraphs, mailOwners, type OwnerMailPorts } from "#features/access/mails.ts";
import type { Users } from "#features/access/store/users.ts";
import { type Account, accountKey } from "../rules/accounts.ts";
import type { Accounts } from "../store/accounts.ts";

export interface ConnectedMailPorts extends OwnerMailPorts {
  readonly accounts: Pick<Accounts, "recordConnectedMail">;
  readonly users: Pick<Users, "emails">;
}

/** A connection that is complete. */
interface MailedConnection {
  readonly tenant: TenantId;
  readonly account: Account;
  readonly isReconnection: boolean;
  /** Whether the mail about it was sent. */
  readonly isMailed: boolean;
  /** The person who connected the account; null when it is not known. */
  readonly userId: string | null;
}

/**
 * Mails the owners of the tenant, and the person who connected the account, that it is connected. What is mailed is recorded
 * after that: only a process that dies in between, two that run at once, and a repetition after a fault mail twice.
 * @returns false when a mail was not sent that may be sent later
 */
export async function mailConnected(
  ports: ConnectedMailPorts,
  { tenant, account, isReconnection, isMailed, userId }: MailedConnection,
): Promise<boolean> {
  if (isMailed) return true;
  const hasPerson = ports.mail !== null && userId !== null;
  const person = hasPerson ? (await ports.users.emails([userId])).get(userId) : undefined;
  const isComplete = await mailOwners(ports, tenant, connectedMail({ tenant, account, isReconnection }), person);
  if (ports.mail === null || !isComplete) return isComplete;
  const { platform, externalId, connectionId } = account;
  await ports.accounts.recordConnectedMail({ tenant, ref: { platform, externalId }, connectionId });
  return true;
}

/** The mail names the account by its key, because its handle and name are texts that a stranger chose. */
export function connectedMail({
  tenant,
  account,
  isReconnection,
}: Pick<MailedConnection, "tenant" | "account" | "isReconnection">): Omit<Mail, "to"> {
  const key = accountKey(account);
  return {
    subject: `${key} is connected to "${tenant}"`,
    text: joinParagraphs(
      `A channel account was connected to the workspace "${tenant}" on Parley${isReconnection ? " again" : ""}.`,
      `Account: ${key}`,
      "The members of the workspace read and answer its messages.",
      "You get this mail as an owner of the workspace, or because you connected the account. If you did not expect it, disconnect the account. GET /v1/audit says who connected it.",
    ),
  };
}
