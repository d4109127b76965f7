import { unmarshall } from "@aws-sdk/util-dynamodb";
import { RETENTION } from "#base/kernel/limits.ts";
import { HOUR, type Millis } from "#base/kernel/time.ts";
import type { StoredObject } from "../cloud/bucket.ts";
import type { Deeds } from "../deeds.ts";
import type { History } from "../steps/step.ts";
import type { World } from "../world/open-world.ts";
import type { Outage } from "../world/outages.ts";
import type { AccountCall } from "../world/page-platform.ts";
import { findPerson } from "../world/people.ts";
import type { PlatformCall } from "../world/platform.ts";
import type { Post } from "../world/receivers.ts";

/** A stored item with plain values. */
export type StoredItem = Readonly<Record<string, unknown>> & { readonly PK: string; readonly SK: string };

export interface StoredChange {
  readonly at: Millis;
  readonly before: StoredItem | null;
  readonly after: StoredItem | null;
}

/** What a history has shown so far: its deeds, what the world saw of them, and the table. */
export interface Evidence extends Deeds {
  /** The calls of the service about accounts, to the platform of a history of accounts. */
  readonly accountCalls: readonly AccountCall[];
  readonly outages: readonly Outage[];
  readonly history: History;
  readonly now: Millis;
  /** When the last step was over and all troubles ended; null before that. */
  readonly calmAt: Millis | null;
  readonly posts: readonly Post[];
  readonly calls: readonly PlatformCall[];
  readonly acknowledged: ReadonlyMap<number, Millis>;
  readonly items: readonly StoredItem[];
  readonly changes: readonly StoredChange[];
  /** Every file of the bucket, those that were deleted included. */
  readonly objects: readonly StoredObject[];
  /** The deliveries that a daily check found overdue and scheduled again. */
  readonly rescheduled: readonly { readonly at: Millis; readonly deliveries: number }[];
  /** How often events were not pushed because they had waited for too long. */
  readonly dropped: number;
  /** The bodies of the messages that became dead letters. */
  readonly buried: readonly string[];
  /** When an item was last written. */
  writtenAt(item: StoredItem): Millis;
  /**
   * Whether somebody asked to erase the person's conversation at or after this instant, give or take the clocks, or to
   * delete the tenant.
   */
  mayBeErased(person: string, at: Millis): boolean;
}

/** How far the clocks of two processes can differ, and a call can take. */
export const SLACK: Millis = 10_000;

/**
 * Observes a world while its history runs.
 * @returns a function that gives the evidence of this moment; null when nothing has changed since the last time
 */
export function observe(world: World, history: History, deeds: Deeds): (calmAt: Millis | null) => Evidence | null {
  const { engine, receivers, platform, pagePlatform, outages, aws, logLines } = world;
  const changes: StoredChange[] = [];
  const current = new Map<string, StoredItem>();
  const written = new WeakMap<StoredItem, Millis>();
  let seen = "";

  function follow(): void {
    for (const { at, before, after } of aws.table.changes().slice(changes.length)) {
      const { PK, SK } = after ?? before ?? {};
      const key = `${PK?.S} ${SK?.S}`;
      const item = after && (unmarshall(after) as StoredItem);
      changes.push({ at, before: current.get(key) ?? null, after: item });
      if (!item) current.delete(key);
      else {
        current.set(key, item);
        written.set(item, at);
      }
    }
  }

  return (calmAt) => {
    follow();
    const answered = deeds.sends.filter(({ response }) => response !== null).length;
    const sizes = [changes, receivers.posts, platform.calls, deeds.reads, deeds.trespasses].map(({ length }) => length);
    const ended = deeds.requests.filter(({ endedAt }) => endedAt !== null).length;
    const platformCallbacks = deeds.platformCallbacks.filter(({ response }) => response !== null).length;
    const logins = deeds.logins.filter(({ endedAt }) => endedAt !== null).length;
    const links = deeds.links.filter(({ hasCome }) => hasCome !== null).length;
    const connections = deeds.connections.filter(({ endedAt }) => endedAt !== null).length;
    const deleted = deeds.deletions.filter(({ endedAt }) => endedAt !== null).length;
    const state = [
      ...sizes,
      ...deeds.viewers.flatMap(({ frames, fetches, endedAt }) => [frames.length, fetches.length, endedAt]),
      answered,
      ended,
      links,
      deleted,
      connections,
      platformCallbacks,
      logins,
      deeds.writings.length,
      deeds.checks.length,
      deeds.erasures.length,
      calmAt,
    ].join(" ");
    if (state === seen) return null;
    seen = state;
    return {
      ...deeds,
      history,
      now: engine.now(),
      calmAt,
      posts: receivers.posts,
      calls: platform.calls,
      accountCalls: pagePlatform.calls,
      outages: outages.all,
      acknowledged: platform.acknowledged,
      items: [...current.values()],
      changes,
      objects: aws.objects,
      rescheduled: logLines.flatMap(({ line, at }) =>
        line.event === "deliveries.rescheduled" ? [{ at, deliveries: line.deliveries }] : [],
      ),
      dropped: logLines.filter(({ line }) => line.event === "realtime.dropped").length,
      buried: Object.values(aws.queues).flatMap(({ buried }) => buried),
      writtenAt: (item) => written.get(item) ?? 0,
      mayBeErased: (person, at) =>
        deeds.deletions.some(({ tenant }) => tenant === findPerson(person).account.tenant) ||
        deeds.erasures.some((erasure) => erasure.person === person && erasure.at >= at - SLACK),
    };
  };
}

const wordsOf = new WeakMap<object, readonly string[]>();

/** The words of the actors in an item, a post or another record that does not change. */
export function wordsIn(record: object, text = () => JSON.stringify(record, withSets)): readonly string[] {
  let words = wordsOf.get(record);
  if (!words) {
    words = text().match(/word-\d+\./g) ?? [];
    wordsOf.set(record, words);
  }
  return words;
}

function withSets(_name: string, part: unknown): unknown {
  return part instanceof Set ? [...part] : part;
}

/** A message in quarantine is lost after 7 days, and so is what waits for it. */
export function mayHaveExpired({ buried, calmAt }: Evidence, at: Millis): boolean {
  return buried.length > 0 && calmAt !== null && at + RETENTION < calmAt + 3 * HOUR;
}

const messageIds = new WeakMap<Post, string | null>();

export function messageIdOf(post: Post): string | null {
  let id = messageIds.get(post);
  if (id === undefined) {
    const { data } = JSON.parse(post.body) as { data: { message?: { id?: string | null } } };
    id = data.message?.id ?? null;
    messageIds.set(post, id);
  }
  return id;
}
