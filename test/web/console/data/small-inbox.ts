import type { ListQuery } from "../../../../web/console/data/inbox-lists.ts";
import { listKey, loadedOf } from "../../../../web/console/data/inbox-lists.ts";
import { LiveInbox } from "../../../../web/console/data/live-inbox.ts";
import type { StreamEvent } from "../../../../web/console/data/types.ts";
import { WallClock } from "../../../../web/console/data/wall-clock.ts";
import { sectionsOf } from "../../../../web/console/inbox/list/order.ts";
import { conversation } from "./conversations.ts";
import { SmallServer } from "./small-server.ts";

export const NOW = Date.parse("2026-11-20T10:00:00Z");
export const MINUTE = 60_000;
export const all: ListQuery = { view: "all", platform: null, accountKey: null };
export const needsReply: ListQuery = { ...all, view: "needs-reply" };

/** The inbox of a page, and the server that it reads. `shown` has the ids of a list as the page shows it. */
export function openInbox() {
  let now = NOW;
  const server = new SmallServer(() => now);
  const inbox = new LiveInbox(server.client(), new WallClock(() => now));
  const shown = (query: ListQuery) => {
    const { book, lists } = inbox.getState();
    const state = lists.get(listKey(query));
    if (!state) return [];
    const known = [...book.known.values()].map((entry) => entry.conversation);
    return sectionsOf(query.view, loadedOf(query, state, known, now), now).flatMap(({ ids }) => ids);
  };
  const advance = (ms: number) => {
    now += ms;
  };
  return { server, inbox, shown, advance, now: () => now };
}

/** Conversations `c0` (newest) to `c<count - 1>`, a minute apart. */
export function fill(server: SmallServer, count: number, apartMs = MINUTE): string[] {
  const ids = Array.from({ length: count }, (_, index) => `c${index}`);
  for (const [index, id] of ids.entries()) {
    server.conversations.set(id, conversation(id, { inbound: NOW - (index + 1) * apartMs }));
  }
  return ids;
}

/** The frame of a conversation. */
export const updated = (id: string, data: object, createdAt: number): StreamEvent =>
  ({
    id: `evt_${id}_${createdAt}`,
    type: "conversation.updated",
    created_at: new Date(createdAt).toISOString(),
    data: { conversation: data },
  }) as never;
