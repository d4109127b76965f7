import { newUlid } from "#base/kernel/ids.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { ConnectPorts, TaskTime } from "../ports.ts";
import { encodeAccountTask } from "../queue.ts";
import type { Account } from "../rules/accounts.ts";
import { COMPLETION_DELAY } from "./disconnection.ts";
import { completeConnection, endReplacedSubscription, revertConnection } from "./finish-connect.ts";
import { type ConnectReason, linkAccount, type NewConnection } from "./link-account.ts";
import { loginFailed } from "./login/login-failures.ts";

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
  const userId = "caller" in connection && connection.caller.kind === "session" ? connection.caller.userId : undefined;
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
