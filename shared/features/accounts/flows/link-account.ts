import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Author, changeAuthor } from "#features/access/author.ts";
import { sealAccountToken } from "../account-token.ts";
import type { LinkPorts } from "../ports.ts";
import { type Account, accountKey } from "../rules/accounts.ts";
import type { Connecting } from "../store/connections.ts";
import { endFormerLogins } from "./former-logins.ts";

/** Why an account is not connected. */
export type ConnectReason = "account_in_use" | "account_limit" | "oauth_failed" | "role_forbidden";

/** An account to connect, and who connects it. */
export type NewConnection = Author & {
  readonly tenant: TenantId;
  readonly account: Pick<Account, "platform" | "externalId" | "connection" | "handle" | "displayName" | "pageId">;
  readonly token: string;
  /** Null for a token that does not expire. */
  readonly tokenExpiresAt: Millis | null;
  /** The platform's ids of the person who logged in. */
  readonly authorizedBy: readonly string[];
};

export type NewLink = NewConnection & {
  /** A new ULID. */
  readonly connectionId: string;
  /** The most accounts of the tenant. Default: no limit. */
  readonly accountsMax?: number;
  readonly now: Millis;
};

/**
 * Stores a connected account with its token encrypted, and its next check. Does not call the platform. The logins of an
 * earlier connection that did not make this one stay for a data deletion, and no longer. A person must be at least an
 * admin.
 */
export async function linkAccount(ports: LinkPorts, link: NewLink): Promise<Connecting> {
  const { tenant, account, token, tokenExpiresAt, authorizedBy, connectionId, accountsMax, now } = link;
  const sealedToken = await sealAccountToken(ports.vault, tenant, { ...account, token });
  const result = await ports.accounts.connect({
    tenant,
    account: { ...account, connectionId, sealedToken, tokenExpiresAt, authorizedBy },
    accountsMax,
    author: changeAuthor(link, "admin", {
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
