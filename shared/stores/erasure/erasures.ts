import { DeleteCommand, GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { AuditEntry } from "../../domain/access/audit.ts";
import { addRemovalCounts, deriveErasureId, noRemovals, type RemovalCounts } from "../../domain/erasure/erasures.ts";
import { isConversationExpired } from "../../domain/inbox/conversations.ts";
import { ERASURE_MARKER_TTL } from "../../domain/limits.ts";
import { newUlid } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import { auditItem } from "../access/audit.ts";
import type { Table } from "../client.ts";
import { conditionalTransaction, conditionalWrite } from "../conditional-write.ts";
import { erasureKey, headKey, type Key, timeToLive } from "../keys.ts";
import { erasedEvents, eventsItem } from "./erased-events.ts";
import { type Erasure, type ErasureItem, erasureItem, toErasure } from "./erasure-items.ts";

export type Erasures = ReturnType<typeof erasureStore>;

/** A conversation's head as it was read, to be erased as just that; also where there is none. */
export interface HeadSnapshot {
  readonly key: Key;
  /** Null where there is no conversation, or none any more. */
  readonly lastAt: Millis | null;
  /** What an erasure counts: it holds only if these are still the same. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Attributes of a head that are counted: whether there is a conversation, and whether its person's profile is known. */
const COUNTED_ATTRIBUTES = ["la", "ph", "pu", "pp"] as const;

/** The erasures of conversations: under way, and afterwards the marker that keeps what is older from coming back. */
export function erasureStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** When a conversation was last erased, read consistently; null when that is not known, or not any more. */
    async erasedAt(conversationId: string, now: Millis): Promise<Millis | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: erasureKey(deriveErasureId(conversationId)), ConsistentRead: true }),
      );
      return Item && isAlive(Item, now) ? (Item.ea as Millis) : null;
    },

    /** Head and erasure of a conversation, read consistently. `over` is an erasure of which only its marker is left. */
    async getWithHead(
      conversationId: string,
      now: Millis,
    ): Promise<{ head: HeadSnapshot; erasure: Erasure | "over" | null }> {
      const keys = [headKey(conversationId), erasureKey(deriveErasureId(conversationId))];
      const [head, marker] = await Promise.all(
        keys.map(async (Key) => (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item),
      );
      const activeErasure = marker ? toErasure(marker as ErasureItem) : null;
      return {
        head: toHeadSnapshot(headKey(conversationId), head ?? {}, now),
        erasure: activeErasure ?? (marker && isAlive(marker, now) ? "over" : null),
      };
    },

    /**
     * Begins an erasure: from here on the conversation is in no inbox and cannot be opened. Its head becomes empty but
     * for the instant of the erasure.
     * @param op unique, by which the caller knows its own erasure again
     * @returns false when the head is no longer as it was read, or another erasure is under way
     */
    async start(
      tenant: TenantId,
      conversationId: string,
      head: HeadSnapshot,
      request: { erasedAt: Millis; op: string; actor: string; ip: string | null },
    ): Promise<boolean> {
      const x = timeToLive(request.erasedAt + ERASURE_MARKER_TTL);
      const profile = COUNTED_ATTRIBUTES.some((name) => name !== "la" && head.attributes[name] !== undefined) ? 1 : 0;
      const removed = { ...noRemovals, conversation: head.lastAt === null ? 0 : 1, profile };
      const row = erasureItem({ tenant, conversationId, ...request, removed }, x);
      const result = await conditionalTransaction(() =>
        client.send(
          new TransactWriteCommand({
            ClientRequestToken: request.op,
            TransactItems: [
              {
                Put: {
                  TableName,
                  Item: row,
                  ConditionExpression: "attribute_not_exists(PK) OR attribute_not_exists(ph) OR ph <> :first",
                  ExpressionAttributeValues: { ":first": "first" },
                },
              },
              // Written anew as a whole, so that no attribute of a head is ever forgotten here.
              { Put: { TableName, Item: { ...head.key, ea: request.erasedAt, x }, ...unchangedCondition(head) } },
            ],
          }),
        ),
      );
      return result.applied;
    },

    /** An erasure that is not over; null when it is, or never began. */
    async get(tenant: TenantId, id: string): Promise<Erasure | null> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: erasureKey(id), ConsistentRead: true }));
      const erasure = Item ? toErasure(Item as ErasureItem) : null;
      return erasure?.tenant === tenant ? erasure : null;
    },

    /**
     * Counts a page before it is removed, and keeps its events for the next pass. The row remembers the page, so that
     * whoever goes on removes it once more without counting.
     * @param upTo the last place of the page
     * @returns the erasure as it stands then; null when another run was faster
     */
    async countPage(
      erasure: Erasure,
      page: { upTo: string; removed: Partial<RemovalCounts>; ulids: readonly string[]; bodies: readonly string[] },
    ): Promise<Erasure | null> {
      const removed = addRemovalCounts(erasure.removed, page.removed);
      const events = eventsItem(erasure, page);
      const ClientRequestToken = newUlid(erasure.erasedAt);
      const result = await conditionalTransaction(() =>
        client.send(
          new TransactWriteCommand({
            ClientRequestToken,
            TransactItems: [
              {
                Update: {
                  TableName,
                  Key: erasureKey(erasure.id),
                  UpdateExpression: "SET fr = :last, up = :up, n = :n",
                  ConditionExpression: "o = :o AND ph = :first AND up = :last",
                  ExpressionAttributeValues: {
                    ":o": erasure.op,
                    ":first": "first",
                    ":last": erasure.upTo,
                    ":up": page.upTo,
                    ":n": removed,
                  },
                },
              },
              ...(events ? [{ Put: { TableName, Item: events } }] : []),
            ],
          }),
        ),
      );
      return result.applied ? { ...erasure, from: erasure.upTo, upTo: page.upTo, removed } : null;
    },

    /** The first pass is over and told in the audit trail, both or neither. @returns null when another run was faster */
    async endFirstPass(erasure: Erasure, audit: AuditEntry, nextPassAt: Millis): Promise<Erasure | null> {
      const result = await conditionalTransaction(() =>
        client.send(
          new TransactWriteCommand({
            ClientRequestToken: newUlid(erasure.erasedAt),
            TransactItems: [
              {
                Update: {
                  TableName,
                  Key: erasureKey(erasure.id),
                  UpdateExpression: "SET ph = :later, np = :at REMOVE fr, ac, ip",
                  ConditionExpression: "o = :o AND ph = :first AND up = :up",
                  ExpressionAttributeValues: {
                    ":o": erasure.op,
                    ":first": "first",
                    ":later": "later",
                    ":up": erasure.upTo,
                    ":at": nextPassAt,
                  },
                },
              },
              { Put: { TableName, Item: auditItem(erasure.tenant, audit) } },
            ],
          }),
        ),
      );
      return result.applied ? { ...erasure, phase: "later", nextPassAt } : null;
    },

    /** A later pass found events: another one is to follow. No run that found none ends the erasure now. */
    async defer(erasure: Erasure, nextPassAt: Millis): Promise<void> {
      await change(erasure, "SET np = :next", { ":next": nextPassAt });
    },

    /** Nothing is left. What stays is the marker: the hash and the instant. */
    async end(erasure: Erasure): Promise<void> {
      await conditionalWrite(() =>
        client.send(
          new DeleteCommand({
            TableName,
            Key: headKey(erasure.conversationId),
            // A new conversation may have begun, and may have been erased in its turn.
            ConditionExpression: "attribute_not_exists(la) AND ea = :ea",
            ExpressionAttributeValues: { ":ea": erasure.erasedAt },
          }),
        ),
      );
      await change(erasure, "REMOVE t, c, o, ph, fr, up, n, np, ac, ip");
    },

    ...erasedEvents(table),
  };

  /** Changes an erasure in its later passes, unless another run or a later erasure has changed it since it was read. */
  async function change(
    erasure: Erasure,
    UpdateExpression: string,
    values: Record<string, unknown> = {},
  ): Promise<void> {
    await conditionalWrite(() =>
      client.send(
        new UpdateCommand({
          TableName,
          Key: erasureKey(erasure.id),
          UpdateExpression,
          ConditionExpression: "o = :o AND np = :np",
          ExpressionAttributeValues: { ":o": erasure.op, ":np": erasure.nextPassAt, ...values },
        }),
      ),
    );
  }
}

function isAlive(item: Record<string, unknown>, now: Millis): boolean {
  return (item.x as number) * SECOND > now;
}

/** One without a last message is no conversation, nor is one past its retention. */
function toHeadSnapshot(key: Key, item: Readonly<Record<string, unknown>>, now: Millis): HeadSnapshot {
  const lastAt = item.la as Millis | undefined;
  return {
    key,
    lastAt: lastAt === undefined || isConversationExpired(lastAt, now) ? null : lastAt,
    attributes: item,
  };
}

function unchangedCondition({ attributes }: HeadSnapshot) {
  const presentNames = COUNTED_ATTRIBUTES.filter((name) => attributes[name] !== undefined);
  const clauses = COUNTED_ATTRIBUTES.map((name) =>
    presentNames.includes(name) ? `${name} = :${name}` : `attribute_not_exists(${name})`,
  );
  return {
    ConditionExpression: clauses.join(" AND "),
    ExpressionAttributeValues: Object.fromEntries(presentNames.map((name) => [`:${name}`, attributes[name]])),
  };
}
