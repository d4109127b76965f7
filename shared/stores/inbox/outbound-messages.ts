import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Direction, Message, MessageRef, SentVia } from "../../domain/inbox/messages.ts";
import { RETENTION } from "../../domain/limits.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { conditionalWrite, conditions } from "../conditional-write.ts";
import { type Key, markerKey, messageKey, messagePosition, positionTime, timeToLive } from "../keys.ts";
import { type MessageItem, toMessage } from "./message-items.ts";
import { messageStore, type RecordedMessage } from "./messages.ts";

export type OutboundMessages = ReturnType<typeof outboundMessageStore>;

/** Who sent a message, and how: what our send knows for certain and an echo only when it is matched to it. */
type Authorship = Pick<Message, "direction" | "sentVia" | "actorId" | "replyTo" | "holdId">;

/** What was settled of a message when its id was first seen. */
export interface MessageMarker {
  readonly position: string;
  readonly eventUlid: string;
  /** Of whoever marked it: `outbound` when that was our send's answer. */
  readonly author: Authorship;
}

/** Messages that left the account, which become known twice: by our send's answer, and by their echo. */
export function outboundMessageStore(table: Table) {
  const { client, name: TableName } = table;
  const messages = messageStore(table);

  return {
    /**
     * Keeps a message that left the account: our own send, or an echo that is nobody's we know. Its mark decides which
     * row it is, so that both end as one message; what our send knows stands above what the echo knows.
     */
    async record(tenant: TenantId, message: Message, now: Millis, shards = 1): Promise<RecordedMessage> {
      const recorded = await saveMarked(tenant, message, await claimMarker(message, now), now, shards);
      const isUpToDate = recorded.isNew || recorded.message.unsent || sameAuthor(recorded.message, message);
      if (message.direction !== "outbound" || isUpToDate) return recorded;
      return { ...recorded, message: await overrideAuthor(tenant, recorded, message) };
    },

    mark: claimMarker,
    keep: saveMarked,
  };

  /** Settles a message's place and event by its id. @returns the first one's, when it was marked before */
  async function claimMarker(message: Message, now: Millis): Promise<MessageMarker> {
    const position = messagePosition(message.sentAt, message.id);
    const result = await conditionalWrite(() =>
      client.send(
        new PutCommand({
          TableName,
          Item: {
            ...markerKey(message.conversationId, message.id),
            p: position,
            e: message.eventUlid,
            d: message.direction,
            v: message.sentVia,
            ac: message.actorId ?? undefined,
            r: message.replyTo ?? undefined,
            ho: message.holdId ?? undefined,
            x: timeToLive(now + RETENTION),
          },
          ConditionExpression: conditions.itemDoesNotExist,
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      ),
    );
    if (result.applied || !result.current) return { position, eventUlid: message.eventUlid, author: message };
    return toMarker(result.current as unknown as MarkerItem);
  }

  /** Keeps a message where its mark says. A row that is known by an echo alone becomes our send's, never the reverse. */
  async function saveMarked(
    tenant: TenantId,
    message: Message,
    marker: MessageMarker,
    now: Millis,
    shards: number,
  ): Promise<RecordedMessage> {
    const isOwnSend = message.direction === "outbound";
    const markedMessage: Message = {
      ...message,
      ...(isOwnSend ? {} : pickAuthorship(marker.author)),
      eventUlid: marker.eventUlid,
      // Whoever marked it first may have died before its row: the row's time is that of its place all the same.
      sentAt: positionTime(marker.position),
    };
    const recorded = await messages.putAt(tenant, markedMessage, marker.position, now, shards);
    if (!isOwnSend || recorded.isNew || recorded.message.unsent || recorded.message.direction === "outbound")
      return recorded;
    return { ...recorded, message: await overrideAuthor(tenant, recorded, message) };
  }

  /** The message was kept by what another knew of it: the author given here stands. An echo has been counted. */
  async function overrideAuthor(
    tenant: TenantId,
    existing: { ref: MessageRef; message: Message },
    source: Message,
  ): Promise<Message> {
    const author = pickAuthorship(source);
    const optional = { ac: author.actorId, r: author.replyTo, ho: author.holdId };
    const names = Object.keys(optional) as (keyof typeof optional)[];
    const countedUpdates = existing.message.direction === "echo" ? ["ce = :ce"] : [];
    const [set, remove] = [names.filter((name) => optional[name]), names.filter((name) => !optional[name])];
    const result = await conditionalWrite(() =>
      client.send(
        new UpdateCommand({
          TableName,
          Key: messageKey(existing.ref.conversationId, existing.ref.position),
          UpdateExpression: `SET ${["d = :d", "v = :v", ...countedUpdates, ...set.map((name) => `${name} = :${name}`)].join(", ")}${
            remove.length > 0 ? ` REMOVE ${remove.join(", ")}` : ""
          }`,
          ConditionExpression: conditions.itemExists,
          ExpressionAttributeValues: {
            ":d": author.direction,
            ":v": author.sentVia,
            ...(countedUpdates.length > 0 ? { ":ce": true } : {}),
            ...Object.fromEntries(set.map((name) => [`:${name}`, optional[name]])),
          },
          ReturnValues: "ALL_NEW",
        }),
      ),
    );
    // It may have been erased since it was read.
    if (!result.applied) return { ...existing.message, ...author };
    return toMessage(tenant, result.output.Attributes as MessageItem);
  }
}

/** A marker as it lies in the table. */
interface MarkerItem extends Key {
  readonly p: string;
  readonly e: string;
  readonly d: Direction;
  readonly v: SentVia;
  readonly ac?: string;
  readonly r?: string;
  readonly ho?: string;
}

function toMarker(item: MarkerItem): MessageMarker {
  const { p, e, d, v, ac = null, r = null, ho = null } = item;
  return { position: p, eventUlid: e, author: { direction: d, sentVia: v, actorId: ac, replyTo: r, holdId: ho } };
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
