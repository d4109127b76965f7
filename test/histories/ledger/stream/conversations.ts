import { RETENTION } from "#base/kernel/limits.ts";
import { HOUR, iso, type Millis } from "#base/kernel/time.ts";
import { headAttributes as Head } from "#features/inbox/store/attributes.ts";
import type { ShownConversation, Viewer } from "../../sockets.ts";
import { conversationOf, findPerson, people } from "../../world/people.ts";
import { mayBeUnconnected } from "../connections.ts";
import { mayBeDeleted } from "../deletion.ts";
import type { Evidence, StoredChange } from "../evidence.ts";
import { endOfService } from "./access.ts";
import { PUSHED_WITHIN } from "./missed.ts";

type Shown = Omit<ShownConversation, "id">;

/** The last state of a conversation that did not change for a while reached each client that was connected. */
export function judgeShownConversations(evidence: Evidence): string[] {
  if (evidence.viewers.length === 0 || evidence.dropped > 0 || evidence.buried.length > 0) return [];
  return people.flatMap(({ name }) => {
    const { account } = findPerson(name);
    const { tenant } = account;
    const heads = evidence.changes.filter(({ before, after }) => isHeadOf(name, after ?? before));
    const viewers = evidence.viewers.filter((viewer) => viewer.tenant === tenant && viewer.fetches.length > 0);
    return viewers.flatMap((viewer) => {
      const until = endOfService(evidence, viewer) - PUSHED_WITHIN;
      const shownFrom = (viewer.fetches[0]?.askedAt ?? 0) - RETENTION + HOUR;
      const head = lastHead(heads, { from: shownFrom, until });
      if (!head || evidence.mayBeErased(name, 0) || mayBeDeleted(evidence, tenant)) return [];
      if (mayBeUnconnected(evidence, account, head.at)) return [];
      const wanted = toText(head.shown);
      return shownStates(viewer, conversationOf(name)).some((shown) => toText(shown) === wanted)
        ? []
        : [`${viewer.connectionId} was not shown the last state of the conversation of ${name}: ${wanted}`];
    });
  });
}

const isHeadOf = (person: string, item: StoredChange["after"]) =>
  item?.PK === conversationOf(person) && item.SK === "~HEAD";

/** The last head of a conversation that is not over, if it was written before an instant. */
function lastHead(
  heads: readonly StoredChange[],
  { from, until }: { from: Millis; until: Millis },
): { at: Millis; shown: Shown } | null {
  const last = heads.at(-1);
  if (!last?.after || last.at > until || Number(last.after[Head.lastAt]) < from) return null;
  const { [Head.lastText]: text, [Head.lastInboundAt]: inboundAt, [Head.lastOutboundAt]: outboundAt } = last.after;
  const toIso = (at: unknown) => (typeof at === "number" ? iso(at) : null);
  const shown = {
    last_message_text: String(text ?? ""),
    last_inbound_at: toIso(inboundAt),
    last_outbound_at: toIso(outboundAt),
  };
  return { at: last.at, shown };
}

function shownStates({ fetches, frames }: Viewer, id: string): Shown[] {
  const fetched = fetches.flatMap(({ conversations }) => conversations.filter((each) => each.id === id));
  const pushed = frames.flatMap(({ body }) => {
    const conversation = body.data?.conversation;
    return conversation?.id === id && !conversation.erased ? [conversation as Shown] : [];
  });
  return [...fetched, ...pushed];
}

function toText({ last_message_text, last_inbound_at, last_outbound_at }: Shown): string {
  return [last_message_text, last_inbound_at, last_outbound_at].join(" ");
}
