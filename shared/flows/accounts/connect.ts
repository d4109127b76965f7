import { type Account, accountKey } from "../../domain/accounts/accounts.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { type Actor, auditEntry } from "../access/audit-entry.ts";
import type { ConnectPorts } from "./ports.ts";

/** An account to connect, and who connects it. */
type NewConnection = Actor & {
  readonly tenant: TenantId;
  readonly account: Omit<
    Account,
    "status" | "statusDetail" | "retryAt" | "refreshError" | "lastRefreshedAt" | "sealedToken"
  >;
  readonly token: string;
  readonly now: Millis;
};

/** Stores a connected account with its token encrypted. Does not call the platform. */
export async function connectAccount(ports: ConnectPorts, connection: NewConnection): Promise<void> {
  const { tenant, account, token, now } = connection;
  const key = accountKey(account);
  const sealedToken = await ports.vault.seal(token, { purpose: "account-token", tenant, owner: key });
  await ports.accounts.connect(
    tenant,
    { ...account, status: "active", statusDetail: null, refreshError: null, lastRefreshedAt: now, sealedToken },
    auditEntry(connection, {
      action: "account.connect",
      resource: `account:${key}`,
      detail: { connection: account.connection },
      at: now,
    }),
  );
}
