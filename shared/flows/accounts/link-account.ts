import { checkTimeAfter } from "../../domain/accounts/account-checks.ts";
import { type Account, type AccountRef, accountKey } from "../../domain/accounts/accounts.ts";
import { allDone } from "../../kernel/parallel.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Connecting } from "../../stores/accounts/connections.ts";
import type { Actor } from "../access/audit-entry.ts";
import { changeAuthor } from "../access/team/acting.ts";
import type { LinkPorts } from "./ports.ts";

/** An account to connect, and who connects it. */
export type NewConnection = Actor & {
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
  readonly now: Millis;
};

/**
 * Stores a connected account with its token encrypted, and its next check. Does not call the platform. A person must be
 * at least an admin.
 */
export async function linkAccount(ports: LinkPorts, link: NewLink): Promise<Connecting> {
  const { tenant, account, token, tokenExpiresAt, authorizedBy, connectionId, now } = link;
  const key = accountKey(account);
  const sealedToken = await ports.vault.seal(token, { purpose: "account-token", tenant, owner: key });
  const result = await ports.accounts.connect({
    tenant,
    account: { ...account, connectionId, sealedToken, tokenExpiresAt, authorizedBy },
    author: changeAuthor(link, "admin", {
      action: "account.connect",
      resource: `account:${key}`,
      detail: { connection: account.connection },
      at: now,
    }),
    now,
  });
  if (result.kind === "connected") {
    const { platform, externalId } = account;
    const isReconnection = result.previous !== null;
    const ref = { platform, externalId };
    await scheduleCheck(ports, { tenant, account: ref, authorizedBy, connectionId, isReconnection, now });
  }
  return result;
}

/**
 * Stores the next check of an account. What is known of its webhooks stays for a reconnection, which may end a gap. The logins of an earlier connection that did not make this one stay for a data deletion, and no longer.
 */
export async function scheduleCheck(
  ports: Pick<LinkPorts, "accountChecks" | "authorizations">,
  {
    tenant,
    account,
    authorizedBy,
    connectionId,
    isReconnection,
    now,
  }: Pick<NewLink, "tenant" | "authorizedBy" | "connectionId" | "now"> & {
    readonly account: AccountRef;
    readonly isReconnection: boolean;
  },
): Promise<void> {
  const dueAt = checkTimeAfter(account, now);
  const check = { tenant, account, connectionId, authorizedBy, dueAt, subscribedAt: null, heldSince: now, gap: null };
  const earlier = await ports.accountChecks.put(check, { isReconnection });
  const formerUserIds = (earlier?.authorizedBy ?? []).filter((userId) => !authorizedBy.includes(userId));
  await allDone(
    formerUserIds.map((platformUserId) =>
      ports.authorizations.expire({ platformUserId, tenant, account, connectionId: earlier?.connectionId ?? "" }, now),
    ),
  );
}
