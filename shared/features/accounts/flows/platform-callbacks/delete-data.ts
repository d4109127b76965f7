import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import { SYSTEM } from "#features/access/rules/callers.ts";
import { newJournalEntry } from "#features/recovery/journal.ts";
import { accountKey } from "../../rules/accounts.ts";
import type { DataDeletionAccount, StoredDeletion } from "../../store/data-deletions.ts";
import {
  type AuthorizedAccount,
  connectedAt,
  listAuthorizedAccounts,
  queueDisconnection,
} from "./authorized-accounts.ts";
import { confirmationCode, confirmationCodes } from "./confirmation-codes.ts";
import type { DeleteDataPorts, PlatformRequest } from "./ports.ts";

/** Until a sweep queues the erasing. The request has ended by then, and the disconnection usually, too. */
const ERASING_DELAY: Millis = 30 * SECOND;

/**
 * Deletes the data of a person who requested it from the platform: disconnects the accounts that their login connects,
 * removes the rows that name the login, and erases the conversations of these accounts in the background. It also erases
 * those of accounts that were disconnected in the last days.
 *
 * - An account that another login now connects stays with its conversations.
 * - An account whose row has ended stays, too: nothing of this login's time is stored, and another login may have had it
 *   since.
 * - Each account is noted as due before anything is removed. If this request dies, a sweep erases the account.
 * - The rows that name the login are removed last, so that a repetition finds them and completes the request.
 * - A request also makes due what an earlier request noted, whether or not the login still has rows.
 * - The instant at which the platform issued the request decides. A connection that the login made later stays with its
 *   messages.
 * - A request that was not issued after the noted one is its repetition: it completes that one and starts nothing.
 *
 * @returns the confirmation code: the same for a repeated request, and one for a person without data, too
 */
export async function deleteData(
  ports: DeleteDataPorts,
  { platformUserId, now, issuedAt = now }: PlatformRequest,
): Promise<string> {
  // What follows is not refused: a repetition completes it.
  await ports.journal.record(newJournalEntry({ kind: "data.delete", platformUserId, issuedAt }, now));
  const { deletion, code, accounts: earlier } = await findDeletion(ports, platformUserId, now);
  const authorized = await listAuthorizedAccounts(ports, platformUserId);
  const isRepeated = deletion !== null && issuedAt <= deletion.requestedAt;
  const erasable = authorized.filter(
    ({ isOthers, authorization: { endsAt } }) => !isOthers && (endsAt === null || endsAt > now),
  );
  const accounts = (isRepeated ? [] : erasable).map(({ authorization: { tenant, account, connectionId } }) => ({
    ...{ code, tenant, account },
    keepsNewer: connectedAt({ connectionId }) > issuedAt,
  }));
  const added = new Set(accounts.map(nameOf));
  const others = earlier.filter((account) => !added.has(nameOf(account)));
  const due = { now, issuedAt, dueAt: now + ERASING_DELAY };
  for (const account of accounts) await ports.dataDeletions.addAccount(account, due, auditOf(account, now));
  for (const account of others) await ports.dataDeletions.makeDue(account, due.dueAt);
  const isRunning = deletion?.status === "running";
  const times = { now, issuedAt };
  if (accounts.length > 0 || (others.length > 0 && !isRunning)) await ports.dataDeletions.start(code, "running", times);
  else if (deletion === null) await ports.dataDeletions.start(code, "done", times);
  else if (isRunning && others.length === 0) await ports.dataDeletions.finish(code, now);
  for (const account of erasable) await queueDisconnection(ports, account, times);
  for (const account of authorized) await removeLogin(ports, account, issuedAt);
  return code;
}

/** After a rotation of the key, an earlier request has its earlier code. */
async function findDeletion(
  { dataDeletions, dataDeletionKeys }: Pick<DeleteDataPorts, "dataDeletions" | "dataDeletionKeys">,
  platformUserId: string,
  now: Millis,
): Promise<StoredDeletion & { readonly code: string }> {
  const keys = await dataDeletionKeys();
  for (const code of confirmationCodes(keys, platformUserId)) {
    const stored = await dataDeletions.load(code, now);
    if (stored.deletion || stored.accounts.length > 0) return { ...stored, code };
  }
  return { deletion: null, accounts: [], code: confirmationCode(keys, platformUserId) };
}

function nameOf({ tenant, account }: DataDeletionAccount): string {
  return `${tenant}#${accountKey(account)}`;
}

/** A login of Instagram has two ids. All rows of the login go, and those of the same person's login that connects the account. */
async function removeLogin(
  { authorizations }: Pick<DeleteDataPorts, "authorizations">,
  { authorization, connected, isOthers }: AuthorizedAccount,
  issuedAt: Millis,
): Promise<void> {
  if (connectedAt(authorization) > issuedAt) return;
  for (const platformUserId of authorization.otherIds)
    await authorizations.remove({ ...authorization, platformUserId });
  // Last, because it names the others.
  await authorizations.remove(authorization);
  if (!connected || isOthers || connected.connectionId === authorization.connectionId) return;
  if (connectedAt(connected) > issuedAt) return;
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
    ...SYSTEM,
    ip: null,
    detail: { confirmation_code: code },
    at,
  };
}
