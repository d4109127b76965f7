import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { allOf, isAbsent, itemDoesNotExist, itemExists } from "#base/table/expressions.ts";
import { type Key, positionTime, timeToLive } from "#base/table/keys.ts";
import { put, remove, sendWrite, update } from "#base/table/writes.ts";
import type { Direction, Message, MessageRef, SentVia } from "../rules/messages.ts";
import { messageAttributes as A, markerAttributes as Marker } from "./attributes.ts";
import { type MessageItem, markerKey, messageKey, messagePosition, type Placement, toMessage } from "./items.ts";
import { messageStore, type RecordedMessage } from "./messages.ts";

export type OutboundMessages = ReturnType<typeof outboundMessageStore>;

/** Who sent a message, and how. Our own send knows it; an echo only knows it once it is matched to a send. */
type Authorship = Pick<Message, "direction" | "sentVia" | "actorId" | "replyTo" | "holdId">;

/** The position, event and author of a message, decided when its id was first seen. */
export interface MessageMarker {
  readonly position: string;
  readonly eventUlid: string;
  /** As the first caller knew it: `outbound` when that was our own send. */
  readonly author: Authorship;
}

/** A send that decided the position of its message. */
export interface MarkedSend {
  readonly sendId: string;
  readonly startedAt: Millis;
}

/** Messages sent from the account. Each becomes known twice: by the platform's response to our send, and by its echo. */
export function outboundMessageStore(table: Table) {
  const messages = messageStore(table);

  return {
    /**
     * Stores our own send, or an echo that matches no send. The marker decides the row, so that both end as one
     * message. What our send knows overrides what the echo knows.
     * @param placement `sendId`: the id of our send. `shards`: of the tenant's feeds. Default: 1
     */
    async record(
      tenant: TenantId,
      message: Message,
      now: Millis,
      { shards = 1, sendId }: { shards?: number; sendId?: string } = {},
    ): Promise<RecordedMessage> {
      const marker = await claimMarker(message, now, sendId);
      const recorded = await saveMarked(tenant, message, marker, { now, shards });
      const isUpToDate = recorded.isNew || isUnsent(recorded.message) || sameAuthor(recorded.message, message);
      if (message.direction !== "outbound" || isUpToDate) return recorded;
      return { ...recorded, message: await overrideAuthor(tenant, recorded, message) };
    },

    claimMarker,
    saveMarked,

    /**
     * The send that marked a message, unless its echo has to complete the message. Reads eventually consistently.
     * @returns null when no send is known: also for the marker of an echo, and of an earlier release
     */
    async findSend({ conversationId, id }: Pick<Message, "conversationId" | "id">): Promise<MarkedSend | null> {
      const { Item } = await table.client.send(
        new GetCommand({ TableName: table.name, Key: markerKey(conversationId, id) }),
      );
      const marker = Item as MarkerItem | undefined;
      const sendId = marker?.[Marker.sendId];
      return sendId === undefined ? null : { sendId, startedAt: positionTime(marker?.[Marker.position] ?? "") };
    },

    /**
     * Stores the URLs that an echo names for sent uploads, unless the message is gone, was unsent, or has such URLs. Safe to
     * repeat.
     * @param urls one per attachment
     * @returns the message as it is stored; the given one when there is no row
     */
    async saveEchoedUrls(
      tenant: TenantId,
      { ref, message }: Pick<RecordedMessage, "ref" | "message">,
      urls: readonly (string | null)[],
    ): Promise<Message> {
      const key = messageKey(ref.conversationId, ref.position);
      const changes = { set: { [A.echoedUrls]: urls } };
      const condition = allOf(itemExists, isAbsent(A.unsentAt), isAbsent(A.echoedUrls));
      const result = await conditionalWrite<MessageItem>(table, update(key, changes, condition, "ALL_NEW"));
      const item = result.applied ? result.item : result.current;
      return item ? toMessage(tenant, item) : message;
    },

    /** Removes the marker of a message. */
    async removeMarker({ conversationId, id }: Pick<Message, "conversationId" | "id">): Promise<void> {
      await sendWrite(table, remove(markerKey(conversationId, id)));
    },
  };

  /** Decides a message's position and event by its id. @returns the stored marker when the id was marked before */
  async function claimMarker(message: Message, now: Millis, sendId?: string): Promise<MessageMarker> {
    const position = messagePosition(message.sentAt, message.id);
    const item = {
      ...markerKey(message.conversationId, message.id),
      [Marker.position]: position,
      [Marker.eventUlid]: message.eventUlid,
      [Marker.direction]: message.direction,
      [Marker.sentVia]: message.sentVia,
      [Marker.actorId]: message.actorId ?? undefined,
      [Marker.replyTo]: message.replyTo ?? undefined,
      [Marker.holdId]: message.holdId ?? undefined,
      // Only the echo has the URLs of uploads that were sent.
      [Marker.sendId]: message.attachments.every(({ url }) => url !== null) ? sendId : undefined,
      [Marker.ttl]: timeToLive(now + RETENTION),
    };
    const result = await conditionalWrite<MarkerItem>(table, put(item, itemDoesNotExist));
    return result.applied || !result.current
      ? { position, eventUlid: message.eventUlid, author: message }
      : toMarker(result.current);
  }

  /** Stores a message at its marker's position. Our send overrides the author of a stored echo, never the reverse. */
  async function saveMarked(
    tenant: TenantId,
    message: Message,
    marker: MessageMarker,
    placement: Omit<Placement, "position">,
  ): Promise<RecordedMessage> {
    const isOwnSend = message.direction === "outbound";
    const markedMessage: Message = {
      ...message,
      ...(isOwnSend ? {} : pickAuthorship(marker.author)),
      eventUlid: marker.eventUlid,
      // The row's time is that of its position, even if the worker that marked the message died before storing it.
      sentAt: positionTime(marker.position),
    };
    const recorded = await messages.putAt(tenant, markedMessage, { ...placement, position: marker.position });
    if (!isOwnSend || recorded.isNew || isUnsent(recorded.message) || recorded.message.direction === "outbound")
      return recorded;
    return { ...recorded, message: await overrideAuthor(tenant, recorded, message) };
  }

  /** Gives a stored message the author of `source`. */
  async function overrideAuthor(
    tenant: TenantId,
    existing: { ref: MessageRef; message: Message },
    source: Message,
  ): Promise<Message> {
    const author = pickAuthorship(source);
    const set = {
      [A.direction]: author.direction,
      [A.sentVia]: author.sentVia,
      [A.actorId]: author.actorId || undefined,
      [A.replyTo]: author.replyTo || undefined,
      [A.holdId]: author.holdId || undefined,
    };
    const key = messageKey(existing.ref.conversationId, existing.ref.position);
    const result = await conditionalWrite<MessageItem>(table, update(key, { set }, itemExists, "ALL_NEW"));
    // The message may have been erased since it was read.
    return result.applied && result.item ? toMessage(tenant, result.item) : { ...existing.message, ...author };
  }
}

/** A marker as stored. */
interface MarkerItem extends Key {
  readonly [Marker.position]: string;
  readonly [Marker.eventUlid]: string;
  readonly [Marker.direction]: Direction;
  readonly [Marker.sentVia]: SentVia;
  readonly [Marker.actorId]?: string;
  readonly [Marker.replyTo]?: string;
  readonly [Marker.holdId]?: string;
  readonly [Marker.sendId]?: string;
}

function toMarker(item: MarkerItem): MessageMarker {
  return {
    position: item[Marker.position],
    eventUlid: item[Marker.eventUlid],
    author: {
      direction: item[Marker.direction],
      sentVia: item[Marker.sentVia],
      actorId: item[Marker.actorId] ?? null,
      replyTo: item[Marker.replyTo] ?? null,
      holdId: item[Marker.holdId] ?? null,
    },
  };
}

function pickAuthorship({ direction, sentVia, actorId, replyTo, holdId }: Authorship): Authorship {
  return { direction, sentVia, actorId, replyTo, ...(holdId ? { holdId } : {}) };
}

function sameAuthor(one: Authorship, other: Authorship): boolean {
  return (
    one.direction === other.direction &&
    one.sentVia === other.sentVia &&
    one.actorId === other.actorId &&
    one.replyTo === other.replyTo &&
    (one.holdId ?? null) === (other.holdId ?? null)
  );
}

function isUnsent({ unsentAt }: Message): boolean {
  return unsentAt !== undefined;
}
