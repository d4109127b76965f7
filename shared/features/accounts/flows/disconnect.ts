import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { CallerAuthor } from "#features/access/rules/callers.ts";
import type { AccountDisconnectPorts, TaskTime } from "../ports.ts";
import { type Account, parseAccountKey } from "../rules/accounts.ts";
import { runDisconnection } from "./disconnection.ts";

/** A request to disconnect an account. */
interface Disconnection {
  readonly tenant: TenantId;
  /** `<platform>#<external_id>`, as it was sent. */
  readonly accountKey: string;
  readonly author: CallerAuthor;
}

/** Disconnects an account of the tenant. Tests do not disconnect accounts: their key has none of its own. */
export async function disconnectAccount(
  ports: AccountDisconnectPorts,
  { tenant, accountKey, author }: Disconnection,
  time: TaskTime,
): Promise<Account | Refusal<"live_key_required" | "account_not_found" | "role_forbidden">> {
  if (author.caller.scope === "test") return refuse("live_key_required");
  const account = parseAccountKey(accountKey);
  if (!account) return refuse("account_not_found");
  return runDisconnection(ports, { tenant, account, reason: "user", author }, time);
}
