import type { AuditEntry } from "../../../domain/access/audit.ts";
import { accountKey } from "../../../domain/accounts/accounts.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";
import { encodeAccountTask } from "../../../queues/accounts.ts";
import type { DataDeletion, DataDeletionAccount } from "../../../stores/accounts/data-deletions.ts";
import { type AuthorizedAccount, listAuthorizedAccounts, queueDisconnection } from "./authorized-accounts.ts";
import { confirmationCode, confirmationCodes } from "./confirmation-codes.ts";
import type { DeleteDataPorts } from "./ports.ts";

/** The disconnection is usually over by then. */
const ERASING_DELAY: Millis = 10 * SECOND;

/**
 * Deletes the data of a person who requested it from the platform: lets the accounts go that their login connects,
 * removes the rows that name the login, and erases the conversations of these accounts in the background, also of those
 * that were let go in the last days. An account that another login connects by now stays with its conversations, and so
 * does one whose row has ended: nothing of this login's time is stored of it, and another login may have had it since. The rows
 * that name the login go last, so that a request that died is completed by its repetition.
 * @returns the confirmation code: the same for a repeated request, and one for a person without data, too
 */
export async function deleteData(
  ports: DeleteDataPorts,
  { platformUserId, now }: { readonly platformUserId: string; readonly now: Millis },
): Promise<string> {
  const { deletion, code } = await findDeletion(ports, platformUserId);
  const authorized = await listAuthorizedAccounts(ports, platformUserId);
  const erasable = authorized.filter(
    ({ isOthers, authorization: { endsAt } }) => !isOthers && (endsAt === null || endsAt > now),
  );
  const accounts = erasable.map(({ authorization: { tenant, account } }) => ({ code, tenant, account }));
  for (const account of accounts) await ports.dataDeletions.addAccount(account, now, auditOf(account, now));
  if (accounts.length > 0) await ports.dataDeletions.start(code, "running", now);
  else if (deletion === null) await ports.dataDeletions.start(code, "done", now);
  for (const account of erasable) await queueDisconnection(ports, account, now);
  for (const account of accounts) await queueErasing(ports, account);
  for (const account of authorized) await removeLogin(ports, account);
  return code;
}

/** After a rotation of the key, an earlier request has its earlier code. */
async function findDeletion(
  { dataDeletions, dataDeletionKeys }: Pick<DeleteDataPorts, "dataDeletions" | "dataDeletionKeys">,
  platformUserId: string,
): Promise<{ readonly deletion: DataDeletion | null; readonly code: string }> {
  const keys = await dataDeletionKeys();
  for (const code of confirmationCodes(keys, platformUserId)) {
    const deletion = await dataDeletions.get(code);
    if (deletion) return { deletion, code };
  }
  return { deletion: null, code: confirmationCode(keys, platformUserId) };
}

async function queueErasing(
  { accountWork }: Pick<DeleteDataPorts, "accountWork">,
  { code, tenant, account }: DataDeletionAccount,
): Promise<void> {
  const task = { op: "erase_conversations", tenant, account, code, after: null, erased: false } as const;
  await accountWork.send({ body: encodeAccountTask(task), group: tenant, delay: ERASING_DELAY });
}

/** A login of Instagram has two ids. All rows of the login go, and those of the same person's login that connects the account. */
async function removeLogin(
  { authorizations }: Pick<DeleteDataPorts, "authorizations">,
  { authorization, connected, isOthers }: AuthorizedAccount,
): Promise<void> {
  for (const platformUserId of authorization.otherIds)
    await authorizations.remove({ ...authorization, platformUserId });
  // Last, because it names the others.
  await authorizations.remove(authorization);
  if (!connected || isOthers || connected.connectionId === authorization.connectionId) return;
  // It was connected again since the rows were read.
  const { connectionId } = connected;
  for (const platformUserId of connected.authorizedBy) {
    await authorizations.remove({ ...authorization, platformUserId, connectionId });
  }
}

function auditOf({ code, account }: DataDeletionAccount, at: Millis): AuditEntry {
  const resource = `account:${accountKey(account)}`;
  return {
    action: "platform.data_deletion",
    resource,
    actor: "system",
    ip: null,
    detail: { confirmation_code: code },
    at,
  };
}
