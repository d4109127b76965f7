import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Direction, Message, MessageRef, SentVia } from "../../domain/inbox/messages.ts";
import { RETENTION } from "../../domain/limits.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { conditions, whenConditionHolds } from "../conditional-write.ts";
import { type Key, markerKey, messageKey, messagePlace, timeOfPlace, timeToLive } from "../keys.ts";
import { type MessageItem, messageOf } from "./message-items.ts";
import { messageStore, type Recorded } from "./messages.ts";

export type OutboundMessages = ReturnType<typeof outboundMessageStore>;

/** Who sent a message, and how: what our send knows for certain and an echo only when it is matched to it. */
type Authorship = Pick<Message, "direction" | "sentVia" | "actorId" | "replyTo" | "holdId">;

/** What was settled of a message when its id was first seen. */
export interface Mark {
  readonly place: string;
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
    async record(tenant: TenantId, message: Message, now: Millis, shards = 1): Promise<Recorded> {
      const kept = await keep(tenant, message, await mark(message, now), now, shards);
      const done = kept.fresh || kept.message.unsent || sameAuthor(kept.message, message);
      if (message.direction !== "outbound" || done) return kept;
      return { ...kept, message: await overrule(tenant, kept, message) };
    },

    mark,
    keep,
  };

  /** Settles a message's place and event by its id. @returns the first one's, when it was marked before */
  async function mark(message: Message, now: Millis): Promise<Mark> {
    const place = messagePlace(message.sentAt, message.id);
    const marked = await whenConditionHolds(() =>
      client.send(
        new PutCommand({
          TableName,
          Item: {
            ...markerKey(message.conversationId, message.id),
            p: place,
            e: message.eventUlid,
            d: message.direction,
            v: message.sentVia,
            ac: message.actorId ?? undefined,
            r: message.replyTo ?? undefined,
            ho: message.holdId ?? undefined,
            x: timeToLive(now + RETENTION),
          },
          ConditionExpression: conditions.notYetThere,
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      ),
    );
    if (marked.held || !marked.old) return { place, eventUlid: message.eventUlid, author: message };
    return markOf(marked.old as unknown as MarkerItem);
  }

  /** Keeps a message where its mark says. A row that is known by an echo alone becomes our send's, never the reverse. */
  async function keep(
    tenant: TenantId,
    message: Message,
    marked: Mark,
    now: Millis,
    shards: number,
  ): Promise<Recorded> {
    const ours = message.direction === "outbound";
    const settled: Message = {
      ...message,
      ...(ours ? {} : authorOf(marked.author)),
      eventUlid: marked.eventUlid,
      // Whoever marked it first may have died before its row: the row's time is that of its place all the same.
      sentAt: timeOfPlace(marked.place),
    };
    const kept = await messages.putAt(tenant, settled, marked.place, now, shards);
    if (!ours || kept.fresh || kept.message.unsent || kept.message.direction === "outbound") return kept;
    return { ...kept, message: await overrule(tenant, kept, message) };
  }

  /** The message was kept by what another knew of it: the author given here stands. An echo has been counted. */
  async function overrule(
    tenant: TenantId,
    kept: { ref: MessageRef; message: Message },
    by: Message,
  ): Promise<Message> {
    const author = authorOf(by);
    const optional = { ac: author.actorId, r: author.replyTo, ho: author.holdId };
    const names = Object.keys(optional) as (keyof typeof optional)[];
    const counted = kept.message.direction === "echo" ? ["ce = :ce"] : [];
    const [set, remove] = [names.filter((name) => optional[name]), names.filter((name) => !optional[name])];
    const overruled = await whenConditionHolds(() =>
      client.send(
        new UpdateCommand({
          TableName,
          Key: messageKey(kept.ref.conversationId, kept.ref.place),
          UpdateExpression: `SET ${["d = :d", "v = :v", ...counted, ...set.map((name) => `${name} = :${name}`)].join(", ")}${
            remove.length > 0 ? ` REMOVE ${remove.join(", ")}` : ""
          }`,
          ConditionExpression: conditions.stillThere,
          ExpressionAttributeValues: {
            ":d": author.direction,
            ":v": author.sentVia,
            ...(counted.length > 0 ? { ":ce": true } : {}),
            ...Object.fromEntries(set.map((name) => [`:${name}`, optional[name]])),
          },
          ReturnValues: "ALL_NEW",
        }),
      ),
    );
    // It may have been erased since it was read.
    if (!overruled.held) return { ...kept.message, ...author };
    return messageOf(tenant, overruled.output.Attributes as MessageItem);
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

function markOf(item: MarkerItem): Mark {
  const { p, e, d, v, ac = null, r = null, ho = null } = item;
  return { place: p, eventUlid: e, author: { direction: d, sentVia: v, actorId: ac, replyTo: r, holdId: ho } };
}

function authorOf({ direction, sentVia, actorId, replyTo, holdId }: Authorship): Authorship {
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
