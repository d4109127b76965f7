import { newUlid } from "#base/kernel/ids.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { toPicture } from "#base/kernel/text/pictures.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Author, authorUserId, changeAuthor } from "#features/access/rules/callers.ts";
import { sealAccountToken } from "../platform-calls.ts";
import type { ConnectPorts, LinkPorts, TaskTime } from "../ports.ts";
import { encodeAccountTask } from "../queue.ts";
import { type Account, accountKey } from "../rules/accounts.ts";
import type { Connecting } from "../store/connections.ts";
import { COMPLETION_DELAY } from "./disconnection.ts";
import { completeConnection, endFormerLogins, endReplacedSubscription, revertConnection } from "./finish-connect.ts";
import { loginFailed } from "./login/login-failures.ts";

/** Why an account is not connected. */
export type ConnectReason = "account_in_use" | "account_limit" | "oauth_failed" | "role_forbidden";

/** An account to connect, and who connects it. */
export interface NewConnection {
  readonly author: Author;
  readonly tenant: TenantId;
  readonly account: Pick<Account, "platform" | "externalId" | "connection" | "handle" | "displayName" | "pageId">;
  readonly token: string;
  /** Null for a token that does not expire. */
  readonly tokenExpiresAt: Millis | null;
  /** The platform's ids of the person who logged in. */
  readonly authorizedBy: readonly string[];
  /** The address of the account's profile picture, as the login named it. Default: none, and a check reads it. */
  readonly pictureUrl?: string | null;
}

export interface NewLink extends NewConnection {
  /** A new ULID. */
  readonly connectionId: string;
  /** The most accounts of the tenant. Default: no limit. */
  readonly accountsMax?: number;
  readonly now: Millis;
}

/**
 * Stores a connected account with its token encrypted, and its next check. Does not call the platform. The logins of an
 * earlier connection that did not make this one stay for a data deletion, and no longer. A person must be at least an
 * admin.
 */
export async function linkAccount(ports: LinkPorts, link: NewLink): Promise<Connecting> {
  const { tenant, account, token, tokenExpiresAt, authorizedBy, connectionId, accountsMax, now } = link;
  const { pictureUrl = null } = link;
  const sealedToken = await sealAccountToken(ports.vault, tenant, { ...account, token });
  const result = await ports.accounts.connect({
    tenant,
    account: { ...account, connectionId, sealedToken, tokenExpiresAt, authorizedBy },
    picture: toPicture(pictureUrl, now),
    accountsMax,
    author: changeAuthor(link.author, "admin", {
      action: "account.connect",
      resource: `account:${accountKey(account)}`,
      detail: { connection: account.connection },
      at: now,
    }),
    now,
  });
  if (result.kind === "connected") await endFormerLogins(ports, result.check);
  return result;
}

/**
 * Connects an account for the first time or again: stores it, subscribes the app to its webhooks, and publishes
 * `account.connected` or `account.reconnected`. A message that is queued first completes what a process that died left.
 * A new account whose subscription fails is disconnected again, and the refusal has the platform's reason. One that was
 * connected before stays, and the queue retries. A person must be at least an admin.
 */
export async function connectAccount(
  ports: ConnectPorts,
  connection: NewConnection,
  time: TaskTime,
): Promise<Account | Refusal<ConnectReason>> {
  const { tenant } = connection;
  const { platform, externalId } = connection.account;
  const ref = { platform, externalId };
  const connectionId = newUlid(time.now());
  const userId = authorUserId(connection.author) ?? undefined;
  const task = { op: "finish_connect", tenant, account: ref, connectionId, userId } as const;
  await ports.accountWork.send({ body: encodeAccountTask(task), group: tenant, delay: COMPLETION_DELAY });
  const { accountsMax } = ports;
  const link = await linkAccount(ports, { ...connection, connectionId, accountsMax, now: time.now() });
  if (link.kind === "limit") return refuse("account_limit");
  if (link.kind === "in_use") return refuse("account_in_use");
  if (link.kind === "actor_changed") return refuse("role_forbidden");
  const { account } = link;
  const stored = { tenant, account, isReconnection: link.previous !== null };
  const outcome = await completeConnection(ports, stored, time);
  if (outcome.kind === "gone") return outcome.current ?? refuse("oauth_failed", "the account was disconnected at once");
  if (outcome.kind === "done" || stored.isReconnection) {
    await endReplacedSubscription(ports, stored, time);
    return account;
  }
  await revertConnection(ports, { tenant, account, outcome }, time);
  return loginFailed(outcome);
}
