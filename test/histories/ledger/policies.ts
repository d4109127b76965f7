import { type Millis, SECOND } from "#base/kernel/time.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { accountAttributes } from "#features/accounts/store/attributes.ts";
import { accountItemKey } from "#features/accounts/store/items.ts";
import { accounts, findPerson, type WorldAccount } from "../world/people.ts";
import { mayBeDeleted } from "./deletion.ts";
import { mayLackDelivery } from "./deliveries.ts";
import { acceptedPosts, untouchedEndpoints } from "./endpoints.ts";
import { type Evidence, mayHaveExpired } from "./evidence.ts";

/** A decision of the platform as the account has it. */
interface StoredPolicy {
  readonly action: "block" | "unblock";
  readonly at: Millis;
  readonly eventUlid: string | null;
}

/** Each decision that the account got, and when. */
function decisions({ changes }: Evidence, account: WorldAccount): { policy: StoredPolicy; since: Millis }[] {
  const key = accountItemKey(account.tenant, account);
  const all: { policy: StoredPolicy; since: Millis }[] = [];
  for (const { at, after } of changes) {
    if (after?.PK !== key.PK || after.SK !== key.SK) continue;
    const policy = after[accountAttributes.policy] as StoredPolicy | undefined;
    const last = all.at(-1)?.policy;
    if (policy && (last?.at !== policy.at || last.action !== policy.action)) all.push({ policy, since: at });
  }
  return all;
}

/** When the account was disconnected. What connects after that is another account to Parley, with a new login. */
function removals({ changes }: Evidence, account: WorldAccount): Millis[] {
  const key = accountItemKey(account.tenant, account);
  return changes
    .filter(({ before, after }) => after === null && before?.PK === key.PK && before.SK === key.SK)
    .map(({ at }) => at);
}

/** A send leaves within 30 seconds, and its rules were checked before. */
const MAY_LEAVE_WITHIN: Millis = 45 * SECOND;

/** Nothing is sent while the platform blocks the account. */
export function judgeBlocks(evidence: Evidence): string[] {
  if (evidence.policies.length === 0) return [];
  return accounts.flatMap((account) =>
    decisions(evidence, account).flatMap(({ policy, since }, index, all) => {
      if (policy.action !== "block") return [];
      const until = Math.min(
        all[index + 1]?.since ?? Infinity,
        ...removals(evidence, account).filter((at) => at > since),
      );
      const calls = evidence.calls.filter(
        ({ person, at }) => findPerson(person).account === account && at > since + MAY_LEAVE_WITHIN && at < until,
      );
      return calls.map(({ text, at }) => `${text} was sent ${at - since} ms after its account was blocked`);
    }),
  );
}

/** The newest decision of the platform applies in the end, and each change of the account's status is published. */
export function judgePolicies(evidence: Evidence): string[] {
  const { policies, acknowledged } = evidence;
  if (policies.length === 0) return [];
  return accounts.flatMap((account) => {
    if (mayBeDeleted(evidence, account.tenant) || evidence.connections.some((each) => each.account === account))
      return [];
    const all = decisions(evidence, account);
    const name = accountKey(account);
    const violations = all.flatMap(({ policy: { action, eventUlid }, since }) => {
      if (eventUlid === null || mayHaveExpired(evidence, since)) return [];
      const type = action === "block" ? "account.restricted" : "account.recovered";
      return untouchedEndpoints(evidence, since, { tenant: account.tenant, type }).flatMap((endpoint) =>
        acceptedPosts(evidence, endpoint.id, (post) => post.eventId.endsWith(eventUlid)).length > 0 ||
        mayLackDelivery(evidence, endpoint, eventUlid)
          ? []
          : [`${type} of ${name} was not delivered to endpoint ${endpoint.id}`],
      );
    });
    const arrived = policies.filter(
      (each) => each.account === account && each.action !== "warning" && acknowledged.has(each.webhook),
    );
    const newestAt = Math.max(...arrived.map(({ at }) => at));
    const newest = arrived.filter(({ at }) => at === newestAt);
    const [decision] = newest;
    if (!decision || newest.length > 1 || mayHaveExpired(evidence, newestAt)) return violations;
    const last = all.at(-1)?.policy;
    const applies = last && (last.at > newestAt || (last.at === newestAt && last.action === decision.action));
    return applies ? violations : [...violations, `the ${decision.action} of ${name} does not apply`];
  });
}
