import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { EventType, RenderedEvent } from "#base/events/events.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { batchGet } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import { itemDoesNotExist, itemExists } from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { check, put, remove, sendWrite } from "#base/table/writes.ts";
import { sendRecordKey } from "#features/sending/store/items.ts";
import { eventBodyAttributes as A, eventRefAttributes as Ref } from "./attributes.ts";
import { eventBodyItem, eventBodyKey, eventRefKey } from "./items.ts";

export type EventBodies = ReturnType<typeof eventBodyStore>;

/** A change of a conversation and the event that stands for it. */
interface ChangeRef {
  /** Names the change within the conversation; the same change has the same name. */
  readonly changeName: string;
  /** Used when the change has no event yet. */
  readonly eventUlid: string;
  /** The instant of the change, by which an erasure decides whether it is older. */
  readonly changedAt: Millis;
}

/** The failure of a send, as `recordRef` and `save` store any change and its event, in one transaction. */
interface SendFailedEvent extends Omit<ChangeRef, "eventUlid"> {
  readonly sendId: string;
  readonly event: RenderedEvent;
}

/** The bodies of events without a message: edits, reactions, deletions, send failures, accounts, endpoints. */
export function eventBodyStore(table: Table) {
  return {
    /**
     * Stores an event's body for 7 days from its time, unless one is stored. Safe to repeat: the first body stays, also
     * where what it was rendered from has changed since.
     */
    async save(tenant: TenantId, event: RenderedEvent): Promise<void> {
      await conditionalWrite(table, put(eventBodyItem(tenant, event), itemDoesNotExist));
    },

    /**
     * Stores in a conversation which event stands for a change, so that the change is published once and an erasure
     * finds the event's body.
     * @returns the event's ULID: that of the first call for this change
     */
    async recordRef(conversationId: string, change: ChangeRef, now: Millis): Promise<string> {
      const write = put(refItem(conversationId, change, now), itemDoesNotExist);
      const result = await conditionalWrite<EventRefItem>(table, write);
      return result.applied || !result.current ? change.eventUlid : result.current[Ref.eventUlid];
    },

    /** The ULID of the event that stands for a change, read consistently; null for a change that was not recorded. */
    async findRef(conversationId: string, changeName: string): Promise<string | null> {
      const Key = eventRefKey(conversationId, changeName);
      const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key, ConsistentRead: true }));
      return Item ? (Item as EventRefItem)[Ref.eventUlid] : null;
    },

    /**
     * Stores the event of a send that failed, with its reference, unless both are stored. An erasure removes the record of
     * the send, so a process that was frozen since stores nothing.
     * @returns the event's ULID: that of the first call for this send; null when the send has no record any more
     */
    async saveSendFailed(
      tenant: TenantId,
      conversationId: string,
      { sendId, changeName, changedAt, event }: SendFailedEvent,
    ): Promise<string | null> {
      const result = await conditionalTransaction(
        table,
        [
          check(sendRecordKey(conversationId, sendId), itemExists),
          put(refItem(conversationId, { changeName, eventUlid: event.ulid, changedAt }, changedAt), itemDoesNotExist),
          put(eventBodyItem(tenant, event), itemDoesNotExist),
        ],
        { token: newUlid(changedAt) },
      );
      if (result.applied) return event.ulid;
      const [record, ref] = result.current;
      if (record === null) return null;
      return ref ? (ref as unknown as EventRefItem)[Ref.eventUlid] : event.ulid;
    },

    /** Deletes the bodies of the events of these changes, at most 100, so that none is sent again. */
    async deleteBodies(tenant: TenantId, conversationId: string, changeNames: readonly string[]): Promise<void> {
      const keys = changeNames.map((changeName) => eventRefKey(conversationId, changeName));
      const refs = await batchGet<EventRefItem>(table, keys, { consistent: true });
      await allDone(refs.map((ref) => sendWrite(table, remove(eventBodyKey(tenant, ref[Ref.eventUlid])))));
    },

    /**
     * Removes changes, at most 100: the bodies of their events, then their references. Safe to repeat.
     * @param eventUlids events whose references may be gone already
     */
    async removeChanges(
      tenant: TenantId,
      conversationId: string,
      { changeNames, eventUlids = [] }: { changeNames: readonly string[]; eventUlids?: readonly string[] },
    ): Promise<void> {
      const refKeys = changeNames.map((changeName) => eventRefKey(conversationId, changeName));
      const refs = await batchGet<EventRefItem>(table, refKeys, { consistent: true });
      const ulids = new Set([...refs.map((ref) => ref[Ref.eventUlid]), ...eventUlids]);
      await allDone([...ulids].map((ulid) => sendWrite(table, remove(eventBodyKey(tenant, ulid)))));
      await allDone(refs.map(({ PK, SK }) => sendWrite(table, remove({ PK, SK }))));
    },

    /** Several of a tenant's events by their ULIDs, read consistently; one that is gone is absent from the map. */
    async getByUlids(tenant: TenantId, ulids: readonly string[]): Promise<Map<string, RenderedEvent>> {
      const keys = [...new Set(ulids)].map((ulid) => eventBodyKey(tenant, ulid));
      const events = (await batchGet<BodyItem>(table, keys, { consistent: true })).map(toRenderedEvent);
      return new Map(events.map((event) => [event.ulid, event]));
    },
  };
}

function refItem(conversationId: string, { changeName, eventUlid, changedAt }: ChangeRef, now: Millis) {
  return {
    ...eventRefKey(conversationId, changeName),
    [Ref.eventUlid]: eventUlid,
    [Ref.changedAt]: changedAt,
    [Ref.ttl]: timeToLive(now + RETENTION),
  };
}

interface BodyItem extends Key {
  readonly [A.type]: EventType;
  readonly [A.body]: string;
}

interface EventRefItem extends Key {
  readonly [Ref.eventUlid]: string;
}

function toRenderedEvent(item: BodyItem): RenderedEvent {
  return { ulid: item.PK.split("#")[2] ?? "", type: item[A.type], body: item[A.body] };
}
