import type { EventType, RenderedEvent } from "#base/events/events.ts";
import { deriveUlid, ulidTime } from "#base/kernel/ids.ts";
import { GATEWAY_MESSAGE_BYTES_MAX } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { parseAccountKey } from "#features/accounts/rules/accounts.ts";
import { renderMessageEvent } from "#features/inbox/events/message.ts";
import { type MessageRef, messageRefKey, parseConversationId } from "#features/inbox/rules/messages.ts";
import { conversationUpdatedFrame, messageWithConversationFrame } from "../../events.ts";
import type { RealtimeEvent } from "../../queue.ts";
import { listTargets, type PushRun } from "./batch.ts";
import { readForEvents } from "./conversation-excerpt.ts";
import { marksUntil } from "./greet.ts";
import type { PushPorts } from "./ports.ts";
import { postFrames } from "./post-frames.ts";
import { loadHoldPush } from "./push-hold.ts";

/** Events that wait longer are not pushed: before that a client has long seen them by other ways, or gone. */
const AGE_MAX: Millis = 10 * MINUTE;

/** Events of one tenant, at most ten. */
interface EventsPush {
  readonly tenant: TenantId;
  readonly events: readonly RealtimeEvent[];
  /** When they were queued. */
  readonly sentAt: Millis;
}

/** An event with its body, and what follows from it. */
interface PushedEvent {
  readonly event: RealtimeEvent;
  readonly rendered: RenderedEvent;
  readonly holdId: string | null;
}

/**
 * Pushes events as endpoints get them, and with them what they changed: each conversation once, and the held messages that
 * were sent. What was erased since is not pushed. Safe to repeat: the same frames have the same ids.
 */
export async function pushEvents(
  ports: PushPorts,
  { tenant, events, sentAt }: EventsPush,
  run: PushRun,
): Promise<RecordOutcome> {
  const now = run.now();
  if (sentAt <= now - AGE_MAX) {
    ports.log({ event: "realtime.dropped", tenant, events: events.length });
    return drop("stale");
  }
  const { sockets, erasedAt } = await listTargets(ports, tenant, run);
  if (sockets.length === 0) return done;
  const { messageEvents, storedEvents } = splitBySource(events);
  const [conversations, stored] = await allDone([
    allDone([...messageEvents].map((entry) => loadConversation(ports, { tenant, erasedAt, now }, entry))),
    loadStored(ports, tenant, storedEvents),
  ]);
  const changes = changedConversations(tenant, stored);
  const changed = await allDone([...changes].map((entry) => loadChanged(ports, { tenant, now }, entry)));
  const pushed = [...conversations.flatMap((conversation) => conversation.events), ...stored];
  const holds = await allDone(
    pushed.flatMap(({ event, holdId }) =>
      holdId === null ? [] : loadHoldPush(ports, { tenant, holdId, eventUlid: frameUlid(event, "hold.updated") }, now),
    ),
  );
  await markNewAccounts(ports, tenant, stored, now);
  const others = [...changed.flatMap((frame) => frame ?? []), ...holds.flatMap((hold) => hold?.frame ?? [])];
  // A conversation that a change follows is pushed after it.
  const updates = conversations.flatMap(({ id, update }) => (update && !changes.has(id) ? [update] : []));
  const bodies = pushed.map(({ rendered }) => rendered.body);
  const frames = [...bodies, ...updates.map(({ frame }) => frame), ...others];
  await postFrames(ports, { tenant, sockets, frames, joinedFrames: [...joinUpdates(bodies, updates), ...others] }, run);
  return done;
}

/** What a message changed of its conversation. */
interface ConversationUpdate {
  /** `conversation.updated`. */
  readonly frame: string;
  /** The event of the conversation's newest message. */
  readonly body: string;
  /** That event with the conversation. */
  readonly joined: string;
}

/** Each conversation in the frame of its newest message. One that would be too long for the gateway is two frames. */
function joinUpdates(bodies: readonly string[], updates: readonly ConversationUpdate[]): string[] {
  const joined = new Map(
    updates
      .filter((update) => Buffer.byteLength(update.joined) <= GATEWAY_MESSAGE_BYTES_MAX)
      .map((update) => [update.body, update]),
  );
  return [
    ...bodies.map((body) => joined.get(body)?.joined ?? body),
    ...updates.filter(({ body }) => !joined.has(body)).map(({ frame }) => frame),
  ];
}

type MessageEvent = RealtimeEvent & { readonly source: MessageRef };

function splitBySource(events: readonly RealtimeEvent[]) {
  const messageEvents = new Map<string, MessageEvent[]>();
  const storedEvents: RealtimeEvent[] = [];
  for (const event of events) {
    const { source } = event;
    if (source === null) storedEvents.push(event);
    else
      messageEvents.set(source.conversationId, [
        ...(messageEvents.get(source.conversationId) ?? []),
        { ...event, source },
      ]);
  }
  return { messageEvents, storedEvents };
}

interface PushContext {
  readonly tenant: TenantId;
  readonly now: Millis;
}

/** The events of one conversation's messages. The conversation is pushed with its live messages: a test send changes no head. */
async function loadConversation(
  ports: PushPorts,
  { tenant, now, erasedAt }: PushContext & { readonly erasedAt: Millis | null },
  [conversationId, events]: readonly [string, readonly MessageEvent[]],
): Promise<{
  readonly id: string;
  readonly events: readonly PushedEvent[];
  readonly update: ConversationUpdate | null;
}> {
  const refs = [...new Map(events.map(({ source }) => [messageRefKey(source), source])).values()];
  const current = await readForEvents(ports, { tenant, conversationId, refs, erasedAt, now });
  if (!current) return { id: conversationId, events: [], update: null };
  const { head } = current;
  const readable = events.flatMap((event) => {
    const message = current.messages.get(messageRefKey(event.source));
    return message ? [{ event, message, rendered: renderMessageEvent(tenant, message) }] : [];
  });
  const newest = readable.filter(({ message }) => message.scope === "live").at(-1);
  return {
    id: conversationId,
    events: readable.map(({ event, message, rendered }) => ({ event, rendered, holdId: message.holdId ?? null })),
    update: newest
      ? {
          frame: conversationUpdatedFrame(tenant, { ulid: frameUlid(newest.event, "conversation.updated"), head, now }),
          body: newest.rendered.body,
          joined: messageWithConversationFrame(newest.rendered, { head, now }),
        }
      : null,
  };
}

async function loadStored(
  { eventBodies }: Pick<PushPorts, "eventBodies">,
  tenant: TenantId,
  events: readonly RealtimeEvent[],
): Promise<PushedEvent[]> {
  if (events.length === 0) return [];
  const bodies = await eventBodies.getByUlids(
    tenant,
    events.map(({ eventUlid }) => eventUlid),
  );
  return events.flatMap((event) => {
    const rendered = bodies.get(event.eventUlid);
    return rendered ? [{ event, rendered, holdId: readData(rendered).message?.hold_id ?? null }] : [];
  });
}

/** The event types that change what a conversation shows, besides new messages. */
const changeTypes: ReadonlySet<EventType> = new Set(["message.edited", "message.deleted"]);

/** The conversations whose messages changed, each with its last change. */
function changedConversations(tenant: TenantId, stored: readonly PushedEvent[]): ReadonlyMap<string, RealtimeEvent> {
  const changed = new Map<string, RealtimeEvent>();
  for (const { event, rendered } of stored) {
    const id = changeTypes.has(event.type) ? readData(rendered).message?.conversation_id : undefined;
    if (id !== undefined && parseConversationId(tenant, id)) changed.set(id, event);
  }
  return changed;
}

/** Reads consistently, also where a message of the same batch was read: nothing says how the head shows the change. */
async function loadChanged(
  { conversations }: Pick<PushPorts, "conversations">,
  { tenant, now }: PushContext,
  [conversationId, event]: readonly [string, RealtimeEvent],
): Promise<string | null> {
  const head = await conversations.get(tenant, conversationId, now);
  return head && conversationUpdatedFrame(tenant, { ulid: frameUlid(event, "conversation.updated"), head, now });
}

/** Marks accounts that were connected while the tenant has sockets. */
async function markNewAccounts(
  { accounts }: Pick<PushPorts, "accounts">,
  tenant: TenantId,
  stored: readonly PushedEvent[],
  now: Millis,
): Promise<void> {
  const keys = stored
    .filter(({ event: { type } }) => type === "account.connected" || type === "account.reconnected")
    .map(({ rendered }) => readData(rendered).account?.account_key ?? "");
  await allDone(
    keys.flatMap((key) => {
      const ref = parseAccountKey(key);
      return ref ? accounts.markSockets(tenant, ref, marksUntil(now)) : [];
    }),
  );
}

/** The parts of stored events that this worker reads. They were rendered by Parley. */
interface StoredData {
  readonly message?: { readonly conversation_id?: string; readonly hold_id?: string };
  readonly account?: { readonly account_key?: string };
}

function readData({ body }: RenderedEvent): StoredData {
  return (JSON.parse(body) as { readonly data: StoredData }).data;
}

/** The ULID of a frame that goes with an event: the same for each repetition. */
function frameUlid({ eventUlid }: RealtimeEvent, type: string): string {
  return deriveUlid(ulidTime(eventUlid), `${eventUlid}\n${type}`);
}
