import { ulidTime } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, type Millis, SECOND } from "#base/kernel/time.ts";
import { HOLDER_TOLERANCE } from "#features/accounts/rules/holders.ts";
import { accountAttributes } from "#features/accounts/store/attributes.ts";
import { accountItemKey } from "#features/accounts/store/items.ts";
import { HISTORY_AGE_MIN } from "#features/inbox/rules/messages.ts";
import type { Writing } from "../deeds.ts";
import { type CastAccount, holders } from "../world/account-cast.ts";
import { mayLackDelivery } from "./deliveries.ts";
import { acceptedPosts } from "./endpoints.ts";
import { type Evidence, messageIdOf, SLACK, type StoredItem, wordsIn } from "./evidence.ts";
import { doneBy } from "./outages.ts";

/** A time in which a tenant has an account; `until` is Infinity while it has it. */
export interface HoldingTime {
  readonly tenant: TenantId;
  readonly from: Millis;
  readonly until: Millis;
}

/** When which tenant had an account, by the rows of its connections. */
export function holdingTimes({ changes }: Evidence, account: CastAccount): HoldingTime[] {
  return holders.flatMap((tenant) => {
    const key = accountItemKey(tenant, account);
    const times: { tenant: TenantId; from: Millis; until: Millis }[] = [];
    for (const { at, before, after } of changes) {
      const item = after ?? before;
      if (item?.PK !== key.PK || item.SK !== key.SK) continue;
      if (!before) times.push({ tenant, from: at, until: Infinity });
      const last = times.at(-1);
      if (!after && last) last.until = at;
    }
    return times;
  });
}

export interface StoredConnection {
  /** When the row was written. */
  readonly at: Millis;
  /** Before the platform's calls for it. */
  readonly connectedAt: Millis;
  readonly authorizedBy: readonly string[];
}

/** The connections of an account to a tenant, as its rows named them. */
export function connectionsOf({ changes }: Evidence, tenant: TenantId, account: CastAccount): StoredConnection[] {
  const key = accountItemKey(tenant, account);
  return changes.flatMap(({ at, after }) =>
    after?.PK === key.PK && after.SK === key.SK
      ? [
          {
            at,
            connectedAt: ulidTime(String(after[accountAttributes.connectionId])),
            authorizedBy: after[accountAttributes.authorizedBy] as readonly string[],
          },
        ]
      : [],
  );
}

const EDGE: Millis = HOLDER_TOLERANCE + SLACK;

function isCertainlyIn({ from, until }: HoldingTime, at: Millis): boolean {
  return at >= from + EDGE && at < until - EDGE;
}

function mayBeIn({ from, until }: HoldingTime, at: Millis): boolean {
  return at >= from - EDGE && at < until + EDGE;
}

/** No tenant's row, post, read or frame has a message from outside of its times. */
export function judgeHolders(evidence: Evidence): string[] {
  const { writings, changes, posts, endpoints, viewers } = evidence;
  const byText = new Map(writings.map((writing) => [writing.text, writing]));
  const times = new Map<CastAccount, HoldingTime[]>();
  const timesOf = (account: CastAccount) => {
    const known = times.get(account) ?? holdingTimes(evidence, account);
    times.set(account, known);
    return known;
  };
  const foreign = (words: readonly string[], tenant: string | undefined, place: () => string): string[] =>
    words.flatMap((word) => {
      const writing = byText.get(word);
      if (!writing || !tenant) return [];
      const own = timesOf(writing.customer.account).filter((time) => time.tenant === tenant);
      return own.some((time) => mayBeIn(time, writing.at)) ? [] : [`${word} is in ${place()} of ${tenant}`];
    });
  const tenantOf = new Map(endpoints.map(({ id, tenant }) => [id, tenant]));
  return [
    ...changes.flatMap(({ after }) => {
      if (!after) return [];
      const [tenant] = /tenant-[ab]/.exec(`${after.PK} ${after.SK}`) ?? [];
      return foreign(wordsIn(after), tenant, () => `the row ${after.PK} ${after.SK}`);
    }),
    ...posts.flatMap((post) =>
      foreign(
        wordsIn(post, () => post.body),
        tenantOf.get(post.endpointId),
        () => "a post",
      ),
    ),
    ...viewers.flatMap(({ tenant, frames }) =>
      frames.flatMap((frame) =>
        foreign(
          wordsIn(frame, () => frame.text),
          tenant,
          () => "a frame",
        ),
      ),
    ),
  ];
}

/** A process may store a message while its clock is behind. */
const ROW_SLACK: Millis = HOUR;

/** The row of a message ends with the message, however late it was stored. */
export function judgeEndsOfRows({ writings, changes }: Evidence): string[] {
  const byMid = new Map(writings.map((writing) => [writing.mid, writing]));
  return changes.flatMap(({ after }) => {
    const writing = byMid.get(String(after?.i).split("#")[1] ?? "");
    const endsAt = Number(after?.ttl) * SECOND;
    return writing && endsAt > writing.at + RETENTION + ROW_SLACK
      ? [`the row of ${writing.mid} ends ${endsAt - writing.at} ms after it was written`]
      : [];
  });
}

/** A missing message is fetched within this time of the next check that the platform answered. */
const FETCHED_WITHIN: Millis = 26 * HOUR;

/** Exactly the tenant that had the account when a message was written has it, and its endpoints got one event of it. */
export function judgeHeldMessages(evidence: Evidence): string[] {
  return evidence.writings.flatMap((writing) => {
    const time = holdingTimes(evidence, writing.customer.account).find((each) => isCertainlyIn(each, writing.at));
    if (!time || writing.isUnstorable || mayBeErased(evidence, writing, time)) return [];
    const deadline = storedBy(evidence, writing, time);
    if (deadline === null) return [];
    const row = firstRow(evidence, writing, time.tenant);
    const name = `${writing.mid}, ${writing.webhook === null ? "of no webhook" : "of a webhook"},`;
    if (!row) return [`${name} of ${time.tenant} was never stored`];
    const lateBy = row.at - deadline;
    return [
      ...(lateBy > 0 && evidence.buried.length === 0 ? [`${name} was stored ${lateBy} ms too late`] : []),
      ...judgePublished(evidence, writing, { tenant: time.tenant, row: row.item }),
    ];
  });
}

/** @returns null where nothing has to store it: no one may read it any more */
function storedBy(evidence: Evidence, writing: Writing, { tenant, until }: HoldingTime): Millis | null {
  const { webhook, at, customer } = writing;
  const arrivedAt = webhook === null ? undefined : evidence.acknowledged.get(webhook);
  if (arrivedAt !== undefined) return doneBy(evidence, arrivedAt);
  const check = evidence.accountCalls.find(
    (call) =>
      call.at > at + HISTORY_AGE_MIN &&
      call.name === "listThreads" &&
      call.externalId === customer.account.externalId &&
      call.isDone,
  );
  // It is for the account's checks to notice: the platform has been well since the history was calm.
  if (!check) return until === Infinity && isAuthorized(evidence, tenant, customer.account) ? evidence.now : null;
  const deadline = doneBy(evidence, check.at + FETCHED_WITHIN);
  return Math.min(until, authorizedUntil(evidence, tenant, customer.account)) < deadline ? null : deadline;
}

/** Whether the login that connected an account last still allows the app. */
function isAuthorized(evidence: Evidence, tenant: TenantId, account: CastAccount): boolean {
  return authorizedUntil(evidence, tenant, account) === Infinity;
}

/** Until when the login that connected an account last allows the app: after that, no one can fetch its messages. */
function authorizedUntil(evidence: Evidence, tenant: TenantId, account: CastAccount): Millis {
  const last = connectionsOf(evidence, tenant, account).at(-1);
  if (!last) return 0;
  const ends = evidence.platformCallbacks
    .filter(({ login, at }) => last.authorizedBy.includes(login) && at >= last.connectedAt - SLACK)
    .map(({ at }) => at);
  return Math.min(Infinity, ...ends);
}

function mayBeErased(evidence: Evidence, { customer, at }: Writing, { tenant, until }: HoldingTime): boolean {
  const connections = connectionsOf(evidence, tenant, customer.account);
  const hasConnected = (login: string) => connections.some(({ authorizedBy }) => authorizedBy.includes(login));
  const isSince = (askedAt: Millis) => askedAt >= at - SLACK;
  const last = connections.findLast((connection) => connection.at < at);
  // A deletion that an outage holds up disconnects the account later. What is written until then belongs to no tenant.
  const isLateEnd = (askedAt: Millis, login: string) =>
    askedAt < at && until !== Infinity && last?.authorizedBy.includes(login) === true && last.at < askedAt;
  return (
    evidence.platformCallbacks.some(
      ({ kind, at: askedAt, login }) =>
        kind === "data-deletion" && ((isSince(askedAt) && hasConnected(login)) || isLateEnd(askedAt, login)),
    ) ||
    evidence.customerErasures.some((each) => each.customer === customer && each.tenant === tenant && isSince(each.at))
  );
}

function firstRow(
  { changes }: Evidence,
  { mid }: Writing,
  tenant: TenantId,
): { readonly at: Millis; readonly item: StoredItem } | null {
  const id = `${tenant}#${mid}`;
  const change = changes.find(({ after }) => after?.i === id);
  return change?.after ? { at: change.at, item: change.after } : null;
}

function judgePublished(
  evidence: Evidence,
  { mid, isEcho }: Writing,
  { tenant, row }: { readonly tenant: TenantId; readonly row: StoredItem },
): string[] {
  const type = isEcho ? "message.sent" : "message.received";
  return evidence.endpoints
    .filter((endpoint) => endpoint.tenant === tenant)
    .flatMap((endpoint) => {
      const posts = acceptedPosts(evidence, endpoint.id, (post) => post.type === type && messageIdOf(post) === mid);
      if (posts.length > 0 || mayLackDelivery(evidence, endpoint, String(row.e))) return [];
      return [`${type} of ${mid} was not delivered to ${tenant}`];
    });
}
