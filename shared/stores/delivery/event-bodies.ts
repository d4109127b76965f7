import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { EventType, RenderedEvent } from "../../domain/events/events.ts";
import { RETENTION } from "../../domain/limits.ts";
import { ulidTime } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { batchGet } from "../batch-get.ts";
import type { Table } from "../client.ts";
import { conditionalWrite, conditions } from "../conditional-write.ts";
import { eventBodyKey, eventRefKey, type Key, timeToLive } from "../keys.ts";

export type EventBodies = ReturnType<typeof eventBodyStore>;

/** The bodies of events that no message stands for: edits, reactions, deletions, failures, accounts, endpoints. */
export function eventBodyStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** Keeps an event's body for 7 days from its time. Safe to repeat: the same event has the same body. */
    async save(tenant: TenantId, event: RenderedEvent): Promise<void> {
      await client.send(
        new PutCommand({
          TableName,
          Item: {
            ...eventBodyKey(tenant, event.ulid),
            ty: event.type,
            b: event.body,
            x: timeToLive(ulidTime(event.ulid) + RETENTION),
          },
        }),
      );
    },

    /**
     * Notes in a conversation that an event of it lies apart, so that erasing finds it, and that `what` was told.
     * @param changeName names the change within the conversation; the same change has the same name
     * @param at the instant of the change, by which an erasure knows whether it is older
     * @returns the ULID that stands: the first one's, when the change was noted before
     */
    async recordRef(
      conversationId: string,
      changeName: string,
      ulid: string,
      now: Millis,
      at: Millis = now,
    ): Promise<string> {
      const result = await conditionalWrite(() =>
        client.send(
          new PutCommand({
            TableName,
            Item: { ...eventRefKey(conversationId, changeName), e: ulid, at, x: timeToLive(now + RETENTION) },
            ConditionExpression: conditions.itemDoesNotExist,
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      return result.applied || !result.current ? ulid : (result.current.e as string);
    },

    /** Forgets the bodies of the events that were noted under these names, at most 100, so that none is sent again. */
    async deleteBodies(tenant: TenantId, conversationId: string, changeNames: readonly string[]): Promise<void> {
      const keys = changeNames.map((changeName) => eventRefKey(conversationId, changeName));
      const refs = await batchGet<Key & { e: string }>(table, keys, { consistent: true });
      await Promise.all(
        refs.map(({ e }) => client.send(new DeleteCommand({ TableName, Key: eventBodyKey(tenant, e) }))),
      );
    },

    /** The event with its body, read consistently; null when it is gone. */
    async get(tenant: TenantId, ulid: string): Promise<RenderedEvent | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: eventBodyKey(tenant, ulid), ConsistentRead: true }),
      );
      return Item ? toRenderedEvent(Item as BodyItem) : null;
    },

    /** Several of a tenant's events by their ULIDs, read consistently; one that is gone is absent from the map. */
    async getByUlids(tenant: TenantId, ulids: readonly string[]): Promise<Map<string, RenderedEvent>> {
      const keys = [...new Set(ulids)].map((ulid) => eventBodyKey(tenant, ulid));
      const events = (await batchGet<BodyItem>(table, keys, { consistent: true })).map(toRenderedEvent);
      return new Map(events.map((event) => [event.ulid, event]));
    },
  };
}

interface BodyItem extends Key {
  readonly ty: EventType;
  readonly b: string;
}

function toRenderedEvent(item: BodyItem): RenderedEvent {
  return { ulid: item.PK.split("#")[2] ?? "", type: item.ty, body: item.b };
}
