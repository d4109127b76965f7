import type { TenantId } from "#base/kernel/tenant.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { accountRouteAttributes as Route } from "#features/accounts/store/attributes.ts";
import { accountItemKey, accountRouteKey, pageUseKey } from "#features/accounts/store/items.ts";
import type { PlatformCallback, Writing } from "../deeds.ts";
import { type CastAccount, castAccounts, holders } from "../world/account-cast.ts";
import { type Evidence, SLACK, type StoredItem, wordsIn } from "./evidence.ts";
import { connectionsOf, holdingTimes, type StoredConnection } from "./holders.ts";

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
  return evidence.platformCallbacks.flatMap((callback) => {
    const code: string | undefined = callback.response?.body.confirmation_code;
    if (callback.kind !== "data-deletion" || code === undefined) return [];
    const rows = evidence.items.filter(({ PK }) => PK === `DD#${code}`);
    const isDone = rows.every(({ SK, st }) => SK === "D" && st === "done") && rows.length === 1;
    return [
      ...(isDone ? [] : [`a data deletion is not done: ${rows.map(({ SK, st }) => `${SK} ${st}`).join(", ")}`]),
      ...castAccounts.flatMap((account) => textsLeft(evidence, callback, account)),
    ];
  });
}

/** What a tenant erased is not stored, also where its webhook came later. */
export function judgeCustomerErasures({ customerErasures, writings, items }: Evidence): string[] {
  return customerErasures.flatMap(({ customer, tenant, at: erasedAt, isAccepted }) => {
    if (!isAccepted) return [];
    const erased = writings.filter((each) => each.customer === customer && each.at < erasedAt - SLACK);
    return textsIn(items, tenant, erased).map((text) => `${text} is stored after its erasure by ${tenant}`);
  });
}

function textsLeft(evidence: Evidence, { login, at: askedAt }: PlatformCallback, account: CastAccount): string[] {
  const before = askedAt - SLACK;
  return holdingTimes(evidence, account).flatMap(({ tenant, from, until }) => {
    if (from >= before || until < askedAt) return [];
    const connections = connectionsOf(evidence, tenant, account);
    const isOfLogin = ({ authorizedBy }: StoredConnection) => authorizedBy.includes(login);
    const last = connections.findLast(({ at }) => at < before);
    // Another login that connects the account keeps it, and its conversations.
    if (!last || !isOfLogin(last) || !connections.filter(({ at }) => at >= before).every(isOfLogin)) return [];
    const written = evidence.writings.filter(
      ({ customer, at }) => customer.account === account && at >= from && at < before,
    );
    return textsIn(evidence.items, tenant, written).map((text) => `${text} is stored after a data deletion`);
  });
}

/** The texts of messages that rows of a tenant still have. The operator's copies of messages that failed stay for 7 days. */
function textsIn(items: readonly StoredItem[], tenant: TenantId, writings: readonly Writing[]): string[] {
  const texts = new Set(writings.map(({ text }) => text));
  return items.flatMap((item) => {
    if (item.PK.startsWith("QUAR#") || !`${item.PK} ${item.SK}`.includes(tenant)) return [];
    return wordsIn(item).filter((word) => texts.has(word));
  });
}
