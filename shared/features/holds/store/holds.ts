import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { table as names } from "#base/config/names.ts";
import { HOLD_READABLE, HOLD_SENDING_MAX } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import {
  above,
  allOf,
  anyOf,
  atLeast,
  atMost,
  below,
  type Expression,
  equals,
  isOneOf,
  isPresent,
  itemDoesNotExist,
} from "#base/table/expressions.ts";
import { t13, timeToLive } from "#base/table/keys.ts";
import { check, put, update } from "#base/table/writes.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import { auditItem } from "#features/access/store/items.ts";
import { relatedRefAttributes as Ref } from "#features/erasure/store/attributes.ts";
import { relatedKeys, relatedRefKey } from "#features/erasure/store/items.ts";
import { readConversationId } from "#features/inbox/rules/messages.ts";
import { headAttributes as Head } from "#features/inbox/store/attributes.ts";
import { headKey } from "#features/inbox/store/items.ts";
import { type HoldError, type HoldTrigger, holdError, holdStatusesBefore, nextHoldStatus } from "../rules/holds.ts";
import { holdAttributes as A } from "./attributes.ts";
import {
  type Hold,
  type HoldItem,
  holdItem,
  type NewHold,
  parseHoldId,
  toHold,
  WAITING_HOLDS,
  waitingAttributes,
} from "./items.ts";

export type Holds = ReturnType<typeof holdStore>;

/** The result of a hold's send. */
export type HoldOutcome =
  | { readonly trigger: "accept"; readonly platformMessageId: string }
  | { readonly trigger: "fail"; readonly error: HoldError };

/** A transition of a hold. */
interface HoldChange {
  readonly trigger: HoldTrigger;
  readonly set?: Readonly<Record<string, unknown>>;
  /** Required besides a status that the trigger may leave. */
  readonly condition: Expression;
}

/**
 * Held messages. Each follows `holdTransitions`, one conditional write per transition. The first transition removes the
 * content, so that no hold that has ended has any.
 */
export function holdStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /**
     * Creates a hold, the row by which an erasure of its conversation finds it, and its audit row, in one transaction.
     * Safe to repeat with the same id.
     * @param asOf an instant of the conversation, such as that of its last inbound message: a later erasure removes the
     *   hold too
     * @returns false when the conversation is gone
     */
    async create(hold: NewHold, asOf: Millis, audit: AuditEntry): Promise<boolean> {
      const tenant = readConversationId(hold.conversationId)?.tenant;
      if (!tenant) return false;
      const item = holdItem(hold);
      const ref = {
        ...relatedRefKey(hold.conversationId, "hold", hold.id),
        [Ref.asOf]: asOf,
        [Ref.ttl]: timeToLive(hold.createdAt + HOLD_READABLE),
      };
      // The head of an erased conversation has no last message.
      const conversationExists = isPresent(Head.lastAt);
      const result = await conditionalTransaction(
        table,
        [
          put(item, itemDoesNotExist),
          put(ref),
          check(headKey(hold.conversationId), conversationExists),
          put(auditItem(tenant, audit)),
        ],
        { ownMark: { PK: item.PK } },
      );
      return result.applied;
    },

    /** One hold, read consistently. */
    async get(id: string): Promise<Hold | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: relatedKeys.hold(id), ConsistentRead: true }),
      );
      return Item ? toHold(Item as HoldItem) : null;
    },

    /**
     * Claims a hold for one send.
     * @param sendId unique; identifies the caller's claim
     * @returns the hold as it is then: claimed by the caller when it has the caller's send id; null when it is gone
     */
    claimHold(hold: Pick<Hold, "id" | "secretHash">, sendId: string, now: Millis): Promise<Hold | null> {
      return change(hold.id, {
        trigger: "claim",
        set: { [A.sendId]: sendId, [A.claimedAt]: now },
        // A hold without content has expired, even if this clock is behind.
        condition: allOf(above(A.expiresAt, now), equals(A.secretHash, hold.secretHash), hasContent),
      });
    },

    /**
     * Stores the result of the send, unless the time for sending has passed.
     * @returns the hold as it is then; null when it is gone
     */
    settleHold(id: string, sendId: string, outcome: HoldOutcome, now: Millis): Promise<Hold | null> {
      return change(id, {
        trigger: outcome.trigger,
        set:
          outcome.trigger === "accept"
            ? { [A.platformMessageId]: outcome.platformMessageId }
            : { [A.error]: outcome.error },
        condition: allOf(equals(A.sendId, sendId), atLeast(A.claimedAt, now - HOLD_SENDING_MAX)),
      });
    },

    /**
     * Records that a hold ended by time, before its end is published: a hold that waited too long can no longer be
     * claimed, and one that was sending too long can no longer be settled.
     * @returns the hold as it is then: with another end, if that was stored first; null when it is gone
     */
    expire({ id, state }: Pick<Hold, "id" | "state">, now: Millis): Promise<Hold | null> {
      return state.status === "sending"
        ? change(id, {
            trigger: "lapse",
            set: { [A.error]: holdError("outcome_unknown", "outcome_unknown") },
            condition: below(A.claimedAt, now - HOLD_SENDING_MAX),
          })
        : change(id, { trigger: "run_out", condition: atMost(A.expiresAt, now) });
    },

    /**
     * Ends a hold that waits for its check, before its time.
     * @returns false when it did not wait any more
     */
    async revoke(id: string): Promise<boolean> {
      return (await changeItem(id, { trigger: "revoke", condition: hasContent })).applied;
    },

    /** The waiting holds whose time has passed, in pages. The index may lag behind by a second. */
    async *listOverdue(now: Millis): AsyncGenerator<Pick<Hold, "id" | "state">[]> {
      const isOverdue = { text: ` AND ${A.feedPosition} <= :now`, values: { ":now": t13(now) } };
      for await (const items of listWaitingItems(["PK"], isOverdue)) {
        yield items.map((item) => ({ id: parseHoldId(item), state: { status: "awaiting_verification" } }));
      }
    },

    /** Every waiting hold, in pages. The index may lag behind by a second. */
    async *listWaiting(): AsyncGenerator<Pick<Hold, "id" | "tenant" | "secretHash">[]> {
      for await (const items of listWaitingItems(["PK", A.conversationId, A.secretHash])) {
        yield items.flatMap((item) => {
          const tenant = readConversationId(item[A.conversationId])?.tenant;
          return tenant ? [{ id: parseHoldId(item), tenant, secretHash: item[A.secretHash] }] : [];
        });
      }
    },
  };

  async function* listWaitingItems(
    attributes: readonly string[],
    condition: { readonly text: string; readonly values: Readonly<Record<string, unknown>> } = { text: "", values: {} },
  ): AsyncGenerator<HoldItem[]> {
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName,
          IndexName: names.feedIndex.name,
          KeyConditionExpression: `${A.feed} = :waiting${condition.text}`,
          ExpressionAttributeValues: { ":waiting": WAITING_HOLDS, ...condition.values },
          ProjectionExpression: attributes.join(", "),
          ExclusiveStartKey,
        }),
      );
      yield Items as HoldItem[];
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey);
  }

  async function change(id: string, holdChange: HoldChange): Promise<Hold | null> {
    const result = await changeItem(id, holdChange);
    const item = result.applied ? result.item : result.current;
    return item ? toHold(item) : null;
  }

  function changeItem(id: string, { trigger, set = {}, condition }: HoldChange) {
    const allowedStatuses = holdStatusesBefore(trigger);
    const [fromStatus] = allowedStatuses;
    const toStatus = fromStatus && nextHoldStatus(fromStatus, trigger);
    // A hold that expired while waiting keeps its stored status: it is recognized by its missing content.
    const changes = {
      set: toStatus && toStatus !== "expired" ? { ...set, [A.status]: toStatus } : set,
      remove: waitingAttributes,
    };
    return conditionalWrite<HoldItem>(
      table,
      update(relatedKeys.hold(id), changes, allOf(isOneOf(A.status, allowedStatuses), condition), "ALL_NEW"),
    );
  }
}

const hasContent = anyOf(isPresent(A.text), isPresent(A.attachments));
