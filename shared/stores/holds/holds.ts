import { GetCommand, QueryCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { table as names } from "../../config/names.ts";
import type { AuditEntry } from "../../domain/access/audit.ts";
import {
  type HoldError,
  type HoldTrigger,
  holdAfter,
  holdError,
  holdStatusesBefore,
} from "../../domain/holds/holds.ts";
import { readConversationId } from "../../domain/inbox/conversations.ts";
import { HOLD_READABLE, HOLD_SENDING_MAX } from "../../domain/limits.ts";
import type { Millis } from "../../kernel/time.ts";
import { auditItem } from "../access/audit.ts";
import type { Table } from "../client.ts";
import { conditions, whenConditionHolds, whenTransactionHolds } from "../conditional-write.ts";
import { apart, apartRefKey, headKey, type Key, t13, timeToLive, WAITING_HOLDS } from "../keys.ts";
import { type Hold, type HoldItem, holdItem, holdOf, idOfHoldItem, type NewHold } from "./hold-items.ts";

export type Holds = ReturnType<typeof holdStore>;

/** What came of the one send of a hold. */
export type HoldOutcome =
  | { readonly trigger: "accept"; readonly platformMessageId: string }
  | { readonly trigger: "fail"; readonly error: HoldError };

/** One change of a hold's item. */
interface Change {
  readonly trigger: HoldTrigger;
  readonly set?: Readonly<Record<string, unknown>>;
  /** What must hold besides the status. */
  readonly condition: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Only what waits has content, and a place in the index of what waits. */
const OF_WAITING = ["b", "a", "F", "G"] as const;

/**
 * Held messages. Each goes through `holdTransitions` and no other way, every step one conditional write. The content
 * leaves with the first step, so that nothing that ended, however it did, has any.
 */
export function holdStore({ client, name: TableName }: Table) {
  return {
    /**
     * A new hold, the row by which erasing its conversation finds it, and its audit row: all of them or none. Safe to
     * repeat with the same id.
     * @param standsSince an instant of the conversation, such as of its last inbound message: an erasure that is
     *   newer takes the hold along
     * @returns false when the conversation is gone
     */
    async create(hold: NewHold, standsSince: Millis, audit: AuditEntry): Promise<boolean> {
      const tenant = readConversationId(hold.conversationId)?.tenant;
      if (!tenant) return false;
      const ref = apartRefKey(hold.conversationId, "hold", hold.id);
      const created = await whenTransactionHolds(() =>
        client.send(
          new TransactWriteCommand({
            TransactItems: [
              {
                Put: {
                  TableName,
                  Item: holdItem(hold),
                  ConditionExpression: conditions.notYetThere,
                  ReturnValuesOnConditionCheckFailure: "ALL_OLD",
                },
              },
              { Put: { TableName, Item: { ...ref, at: standsSince, x: timeToLive(hold.createdAt + HOLD_READABLE) } } },
              // An erased conversation keeps a head that says no more than when it was erased.
              {
                ConditionCheck: {
                  TableName,
                  Key: headKey(hold.conversationId),
                  ConditionExpression: "attribute_exists(la)",
                },
              },
              { Put: { TableName, Item: auditItem(tenant, audit) } },
            ],
          }),
        ),
      );
      return created.held || created.old?.PK === apart.hold(hold.id).PK;
    },

    /** One hold as it was last written, read consistently. */
    async get(id: string): Promise<Hold | null> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: apart.hold(id), ConsistentRead: true }));
      return Item ? holdOf(Item as HoldItem) : null;
    },

    /**
     * Claims a hold for one send, in one write that judges status, time and secret.
     * @param sendId unique, by which the caller knows its own claim again
     * @returns the hold as it then is: claimed by the caller when it has its send id; null when it is gone
     */
    claim(hold: Pick<Hold, "id" | "secretHash">, sendId: string, now: Millis): Promise<Hold | null> {
      return change(hold.id, {
        trigger: "claim",
        set: { s: sendId, cl: now },
        // Without content it is over, though the clock here may be behind.
        condition: "ex > :now AND hs = :hash AND (attribute_exists(b) OR attribute_exists(a))",
        values: { ":now": now, ":hash": hold.secretHash },
      });
    },

    /**
     * What came of the send, unless its time was over meanwhile.
     * @returns the hold as it then is; null when it is gone
     */
    settle(id: string, sendId: string, outcome: HoldOutcome, now: Millis): Promise<Hold | null> {
      const { trigger } = outcome;
      return change(id, {
        trigger,
        set: outcome.trigger === "accept" ? { m: outcome.platformMessageId } : { er: outcome.error },
        condition: "s = :send AND cl >= :oldest",
        values: { ":send": sendId, ":oldest": now - HOLD_SENDING_MAX },
      });
    },

    /**
     * Makes sure of an end that came by time, before anyone is told of it: a hold that waited for too long can be
     * claimed no more, and one that was sending for too long can be settled no more.
     * @returns the hold as it then is: another end, if that was written first; null when it is gone
     */
    endByTime({ id, state }: Pick<Hold, "id" | "state">, now: Millis): Promise<Hold | null> {
      return state.status === "sending"
        ? change(id, {
            trigger: "lapse",
            set: { er: holdError("outcome_unknown", "outcome_unknown") },
            condition: "cl < :oldest",
            values: { ":oldest": now - HOLD_SENDING_MAX },
          })
        : change(id, { trigger: "run_out", condition: "ex <= :now", values: { ":now": now } });
    },

    /** Those that still wait though their time is over, in pages. One that was written just now may not be found yet. */
    async *overdue(now: Millis): AsyncGenerator<Pick<Hold, "id" | "state">[]> {
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName,
            IndexName: names.feedIndex.name,
            KeyConditionExpression: "F = :waiting AND G <= :now",
            ExpressionAttributeValues: { ":waiting": WAITING_HOLDS, ":now": t13(now) },
            ProjectionExpression: "PK",
            ExclusiveStartKey,
          }),
        );
        yield (Items as Pick<Key, "PK">[]).map((key) => ({
          id: idOfHoldItem(key),
          state: { status: "awaiting_verification" },
        }));
        ExclusiveStartKey = LastEvaluatedKey;
      } while (ExclusiveStartKey);
    },
  };

  async function change(id: string, { trigger, set = {}, condition, values }: Change): Promise<Hold | null> {
    const before = holdStatusesBefore(trigger);
    const [first] = before;
    const to = first && holdAfter(first, trigger);
    // What ran out is known by having no content: its status stays as it is.
    const all = Object.entries(to && to !== "expired" ? { ...set, st: to } : set);
    const changed = await whenConditionHolds(() =>
      client.send(
        new UpdateCommand({
          TableName,
          Key: apart.hold(id),
          UpdateExpression: `${all.length > 0 ? `SET ${all.map(([name]) => `${name} = :to_${name}`).join(", ")} ` : ""}REMOVE ${OF_WAITING.join(", ")}`,
          ConditionExpression: `st IN (${before.map((_, at) => `:from${at}`).join(", ")}) AND ${condition}`,
          ExpressionAttributeValues: {
            ...values,
            ...Object.fromEntries(before.map((status, at) => [`:from${at}`, status])),
            ...Object.fromEntries(all.map(([name, value]) => [`:to_${name}`, value])),
          },
          ReturnValues: "ALL_NEW",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      ),
    );
    const item = changed.held ? changed.output.Attributes : changed.old;
    return item ? holdOf(item as unknown as HoldItem) : null;
  }
}
