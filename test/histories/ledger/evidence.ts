import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Millis } from "../../../shared/kernel/time.ts";
import type { Deeds } from "../actors.ts";
import type { History } from "../steps.ts";
import { TENANT, type World } from "../world/open-world.ts";
import type { PlatformCall } from "../world/platform.ts";
import type { Post } from "../world/receivers.ts";

/** A stored item with plain values. */
export type StoredItem = Readonly<Record<string, unknown>> & { readonly PK: string; readonly SK: string };

export interface StoredChange {
  readonly at: Millis;
  readonly before: StoredItem | null;
  readonly after: StoredItem | null;
}

/** What remains of a history when nothing more happens: its deeds, what the world saw of them, and the table. */
export interface Evidence extends Deeds {
  readonly history: History;
  readonly now: Millis;
  readonly posts: readonly Post[];
  readonly calls: readonly PlatformCall[];
  readonly acknowledged: ReadonlyMap<number, Millis>;
  readonly items: readonly StoredItem[];
  readonly changes: readonly StoredChange[];
  conversation(person: string): string;
  /** Whether somebody asked to erase the person's conversation at or after this instant, give or take the clocks. */
  mayBeErased(person: string, at: Millis): boolean;
}

/** How far the clocks of two processes can differ, and a call can take. */
export const SLACK: Millis = 10_000;

export function gather(
  world: World,
  history: History,
  actors: { deeds: Deeds; conversation: Evidence["conversation"] },
): Evidence {
  const { deeds, conversation } = actors;
  const plain = (item: Parameters<typeof unmarshall>[0]) => unmarshall(item) as StoredItem;
  return {
    ...deeds,
    history,
    now: world.engine.now(),
    posts: world.receivers.posts,
    calls: world.platform.calls,
    acknowledged: world.platform.acknowledged,
    items: world.aws.table.items().map(plain),
    changes: world.aws.table.changes().map(({ at, before, after }) => ({
      at,
      before: before && plain(before),
      after: after && plain(after),
    })),
    conversation,
    mayBeErased: (person, at) =>
      deeds.erasures.some((erasure) => erasure.person === person && erasure.at >= at - SLACK),
  };
}

/** The events of a type about a message that an endpoint accepted. */
export function acceptedPosts({ posts }: Evidence, endpointId: string, isWanted: (post: Post) => boolean): Post[] {
  return posts.filter((post) => post.endpointId === endpointId && post.accepted && isWanted(post));
}

/** The endpoints that existed before an instant, that nobody changed and that the service did not pause. */
export function untouchedEndpoints(evidence: Evidence, since: Millis) {
  return evidence.endpoints.filter(({ id, createdAt, touchedAt }) => {
    const item = evidence.items.find(({ PK, SK }) => PK === `T#${TENANT}` && SK === `WH#${id}`);
    return touchedAt === null && createdAt + SLACK < since && item?.st === "active";
  });
}

/** The delivery's row; null without one. */
export function deliveryRow({ items }: Evidence, endpointId: string, eventUlid: string): StoredItem | null {
  return items.find(({ PK, SK }) => PK === `D#${TENANT}#${endpointId}#0` && SK === eventUlid) ?? null;
}

export function messageIdOf(post: Post): string | null {
  const { data } = JSON.parse(post.body) as { data: { message?: { id?: string | null } } };
  return data.message?.id ?? null;
}
