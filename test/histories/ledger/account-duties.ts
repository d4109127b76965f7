import { accountKey } from "../../../shared/domain/accounts/accounts.ts";
import type { TenantId } from "../../../shared/kernel/tenant.ts";
import type { Millis } from "../../../shared/kernel/time.ts";
import { accountItemKey, accountRouteKey, pageUseKey } from "../../../shared/stores/accounts/account-keys.ts";
import { accountAttributes, accountRouteAttributes as Route } from "../../../shared/stores/attributes.ts";
import type { Duty } from "../deeds.ts";
import { type CastAccount, castAccounts, holders } from "../world/account-cast.ts";
import { type Evidence, SLACK, wordsIn } from "./evidence.ts";
import { holdingTimes } from "./holders.ts";

/** An account has one tenant, and its route and the use of its page say so. */
export function judgeConnectedAccounts({ items }: Evidence): string[] {
  const find = ({ PK, SK }: { PK: string; SK: string }) => items.find((item) => item.PK === PK && item.SK === SK);
  return castAccounts.flatMap((account) => {
    const name = accountKey(account);
    const tenants = holders.filter((tenant) => find(accountItemKey(tenant, account)));
    const [tenant] = tenants;
    const isUsed = account.pageId !== null && find(pageUseKey(account.pageId, account)) !== undefined;
    const violations: string[] = [];
    if (tenants.length > 1) violations.push(`${name} is connected to ${tenants.length} tenants`);
    if (find(accountRouteKey(account))?.[Route.tenant] !== tenant)
      violations.push(`${name} is connected to ${tenant}, and its route is not so`);
    if (account.pageId !== null && isUsed !== (tenant !== undefined))
      violations.push(`${name} is connected to ${tenant}, and the use of its page is not so`);
    return violations;
  });
}

/** A person's data deletion is done, and nothing of the accounts that only their login connected is left. */
export function judgeDataDeletions(evidence: Evidence): string[] {
  return evidence.duties.flatMap((duty) => {
    const code: string | undefined = duty.response?.body.confirmation_code;
    if (duty.kind !== "data-deletion" || code === undefined) return [];
    const rows = evidence.items.filter(({ PK }) => PK === `DD#${code}`);
    const isDone = rows.every(({ SK, st }) => SK === "D" && st === "done") && rows.length === 1;
    return [
      ...(isDone ? [] : [`a data deletion is not done: ${rows.map(({ SK, st }) => `${SK} ${st}`).join(", ")}`]),
      ...castAccounts.flatMap((account) => textsLeft(evidence, duty, account)),
    ];
  });
}

function textsLeft(evidence: Evidence, { login, at: askedAt }: Duty, account: CastAccount): string[] {
  const before = askedAt - SLACK;
  return holdingTimes(evidence, account).flatMap(({ tenant, from, until }) => {
    if (from >= before || until < askedAt) return [];
    const connections = connectionsOf(evidence, tenant, account);
    const isOfLogin = ({ authorizedBy }: StoredConnection) => authorizedBy.includes(login);
    const last = connections.findLast(({ at }) => at < before);
    // Another login that connects the account keeps it, and its conversations.
    if (!last || !isOfLogin(last) || !connections.filter(({ at }) => at >= before).every(isOfLogin)) return [];
    const texts = evidence.writings
      .filter(({ customer, at }) => customer.account === account && at >= from && at < before)
      .map(({ text }) => text);
    return evidence.items.flatMap((item) => {
      if (item.PK.startsWith("QUAR#") || !`${item.PK} ${item.SK}`.includes(tenant)) return [];
      const text = wordsIn(item).find((word) => texts.includes(word));
      return text ? [`${text} is stored after a data deletion: ${item.PK} ${item.SK}`] : [];
    });
  });
}

interface StoredConnection {
  readonly at: Millis;
  readonly authorizedBy: readonly string[];
}

/** The connections of an account to a tenant, as its rows named them. */
function connectionsOf({ changes }: Evidence, tenant: TenantId, account: CastAccount): StoredConnection[] {
  const key = accountItemKey(tenant, account);
  return changes.flatMap(({ at, after }) =>
    after?.PK === key.PK && after.SK === key.SK
      ? [{ at, authorizedBy: after[accountAttributes.authorizedBy] as readonly string[] }]
      : [],
  );
}
