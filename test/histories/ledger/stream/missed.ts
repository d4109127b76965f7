import { ulidTime } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import { HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import { eventBodyAttributes as Body } from "#features/delivery/store/attributes.ts";
import { messageAttributes as Message } from "#features/inbox/store/attributes.ts";
import type { Viewer } from "../../sockets.ts";
import { conversationOf, findPerson, people } from "../../world/people.ts";
import { mayBeUnconnected } from "../connections.ts";
import { mayBeDeleted } from "../deletion.ts";
import type { Evidence, StoredItem } from "../evidence.ts";
import { endOfService } from "./access.ts";
import { helloOf } from "./frames.ts";

/** By then an event is pushed, or it was abandoned: ten minutes in the queue, after the repetitions of its batch. */
export const PUSHED_WITHIN: Millis = 30 * MINUTE;

/** An event as the rows of its tenant show it. */
interface StoredEvent {
  readonly tenant: string;
  readonly ulid: string;
  readonly type: string;
  /** When its row was written first. */
  readonly at: Millis;
  /** When it happened: an erasure since then removes it, also where its row is written later. */
  readonly happenedAt: Millis;
  /** The message that it is about, if a fetch shows it. */
  readonly messageId: string | null;
  /** The person whose conversation it is about; null for one of the tenant. */
  readonly person: string | null;
  /** It is about a test send, its message was unsent, or its body was removed. */
  readonly isHidden: boolean;
}

/**
 * Each event that is accepted while a client is connected is in what it fetched at its first frame, or follows as a
 * frame.
 */
export function judgeMissed(evidence: Evidence): string[] {
  if (evidence.viewers.length === 0 || evidence.dropped > 0) return [];
  const events = storedEvents(evidence).filter((event) => !mayNotBePushed(evidence, event));
  return evidence.viewers.flatMap((viewer) => {
    const hello = helloOf(viewer);
    const [fetch] = viewer.fetches;
    if (!hello || !fetch || mayBeDeleted(evidence, viewer.tenant)) return [];
    const servedUntil = endOfService(evidence, viewer);
    return events
      .filter((event) => event.tenant === viewer.tenant && event.at + PUSHED_WITHIN < servedUntil)
      .filter((event) => event.at > hello.at || isShown(event, hello.at))
      .filter((event) => !isSeen(viewer, event))
      .map(
        (event) =>
          `${viewer.connectionId} did not see ${event.type} of ${event.messageId ?? event.ulid}, ${event.at - hello.at} ms after its first frame`,
      );
  });
}

/** Whether a fetch at an instant shows an event of before it. */
function isShown({ at, messageId, isHidden }: StoredEvent, now: Millis): boolean {
  return messageId !== null && !isHidden && at > now - RETENTION + HOUR;
}

function isSeen({ fetches, frames }: Viewer, { ulid, messageId }: StoredEvent): boolean {
  return (
    frames.some(({ body }) => body.id === `evt_${ulid}`) ||
    (messageId !== null && fetches.some(({ messageIds }) => messageIds.includes(messageId)))
  );
}

function storedEvents({ changes }: Evidence): StoredEvent[] {
  const events = new Map<string, StoredEvent>();
  for (const { at, before, after } of changes) {
    if (before && !after) hideRemoved(events, before, at);
    const event = after && (toMessageEvent(after, at) ?? toBodyEvent(after, at));
    if (event && (!events.has(event.ulid) || event.isHidden)) {
      const first = events.get(event.ulid);
      events.set(event.ulid, { ...event, at: first?.at ?? at });
    }
  }
  return [...events.values()];
}

/** An unsend removes the body of its message's edits and reactions, long before it expires. */
function hideRemoved(events: Map<string, StoredEvent>, row: StoredItem, removedAt: Millis): void {
  const event = events.get(toBodyEvent(row, removedAt)?.ulid ?? "");
  if (event && removedAt < event.at + RETENTION - HOUR) events.set(event.ulid, { ...event, isHidden: true });
}

function toMessageEvent(item: StoredItem, at: Millis): StoredEvent | null {
  const [, tenant = "", messageId] = /^(tenant-[ab])#(.+)$/.exec(String(item[Message.idIndex] ?? "")) ?? [];
  const ulid = item[Message.eventUlid];
  if (messageId === undefined || typeof ulid !== "string") return null;
  const type = item[Message.direction] === "inbound" ? "message.received" : "message.sent";
  const isHidden = item[Message.test] === true || item[Message.unsentAt] !== undefined;
  const happenedAt = Math.min(at, Number(item[Message.sentAt]));
  return { tenant, ulid, type, at, happenedAt, messageId, person: personOf(item.PK), isHidden };
}

function toBodyEvent({ PK, SK, ...item }: StoredItem, at: Millis): StoredEvent | null {
  const [, tenant = "", ulid] = /^E#(tenant-[ab])#(.+)$/.exec(PK) ?? [];
  // A changed conversation is pushed as a conversation, not as its event.
  if (ulid === undefined || SK !== "B" || item[Body.type] === "conversation.updated") return null;
  const { data } = JSON.parse(String(item[Body.body])) as { data: { message?: { conversation_id?: string } } };
  const person = personOf(data.message?.conversation_id ?? "");
  const event = { tenant, ulid, type: String(item[Body.type]), at, happenedAt: Math.min(at, ulidTime(ulid)) };
  return { ...event, messageId: null, person, isHidden: false };
}

function personOf(conversationId: string): string | null {
  return people.find(({ name }) => conversationOf(name) === conversationId)?.name ?? null;
}

/**
 * What was erased since is not pushed, and what no worker could process waits for the operator. What a worker that died
 * had stored is dropped when its account is not connected any more.
 */
function mayNotBePushed(evidence: Evidence, { person, happenedAt, at, ulid, isHidden, type }: StoredEvent): boolean {
  const isUnsent = isHidden && ["message.received", "message.edited", "message.reaction"].includes(type);
  return (
    isUnsent ||
    (person !== null && evidence.mayBeErased(person, happenedAt)) ||
    (person !== null && mayBeUnconnected(evidence, findPerson(person).account, at)) ||
    evidence.buried.some((body) => body.includes(ulid))
  );
}
