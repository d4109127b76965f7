import { ulidTime } from "#base/kernel/ids.ts";
import type { Millis } from "#base/kernel/time.ts";
import { SYSTEM } from "#features/access/rules/callers.ts";
import { encodeAccountTask } from "../../queue.ts";
import type { Account } from "../../rules/accounts.ts";
import type { Authorization, StoredAuthorization } from "../../store/authorizations.ts";
import type { DeauthorizePorts } from "./ports.ts";

/** An account that a login connected at some time, and the account as it is connected now; null if it is not. */
export interface AuthorizedAccount {
  readonly authorization: StoredAuthorization;
  readonly connected: Account | null;
  /** Another login connects it now. */
  readonly isOthers: boolean;
}

/** The accounts that a login connected, of all tenants, also those that were disconnected in the last days. */
export async function listAuthorizedAccounts(
  { accounts, authorizations }: Pick<DeauthorizePorts, "accounts" | "authorizations">,
  platformUserId: string,
): Promise<AuthorizedAccount[]> {
  const authorizedAccounts: AuthorizedAccount[] = [];
  for (const authorization of await authorizations.list(platformUserId)) {
    const connected = await accounts.get(authorization.tenant, authorization.account);
    const isOthers = connected !== null && !connected.authorizedBy.includes(platformUserId);
    authorizedAccounts.push({ authorization, connected, isOthers });
  }
  return authorizedAccounts;
}

/** When an account was connected; 0 for one that was connected before connections had ids. */
export function connectedAt({ connectionId }: Pick<Authorization, "connectionId">): Millis {
  return connectionId === "" ? 0 : ulidTime(connectionId);
}

/**
 * Queues the disconnection of an account that a login connects. Does nothing for any other.
 * @param issuedAt of the platform's request: an account that was connected after it stays
 */
export async function queueDisconnection(
  ports: Pick<DeauthorizePorts, "accountWork">,
  { authorization, connected, isOthers }: AuthorizedAccount,
  { now, issuedAt }: { readonly now: Millis; readonly issuedAt: Millis },
): Promise<void> {
  if (!connected || isOthers || connectedAt(connected) > issuedAt) return;
  await queueDisconnectTask(ports, { ...authorization, connectionId: connected.connectionId }, now);
}

/** Queues the disconnection of one connection of an account, as the platform requested it. */
export async function queueDisconnectTask(
  { accountWork }: Pick<DeauthorizePorts, "accountWork">,
  { tenant, account, connectionId }: Omit<Authorization, "platformUserId">,
  now: Millis,
): Promise<void> {
  const by = { reason: "platform_deauthorized", ...SYSTEM, userId: null, ip: null, at: now } as const;
  await accountWork.send({
    body: encodeAccountTask({ op: "disconnect", tenant, account, connectionId, ...by }),
    group: tenant,
  });
}
