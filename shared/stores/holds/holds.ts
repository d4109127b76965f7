import { GetCommand, QueryCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { table as names } from "../../config/names.ts";
import type { AuditEntry } from "../../domain/access/audit.ts";
import {
  type HoldError,
  type HoldTrigger,
  holdError,
  holdStatusesBefore,
  nextHoldStatus,
} from "../../domain/holds/holds.ts";
import { readConversationId } from "../../domain/inbox/conversations.ts";
import { HOLD_READABLE, HOLD_SENDING_MAX } from "../../domain/limits.ts";
import type { Millis } from "../../kernel/time.ts";
import { auditItem } from "../access/audit.ts";
import type { Table } from "../client.ts";
import { conditionalTransaction, conditionalWrite, conditions } from "../conditional-write.ts";
import { headKey, type Key, relatedKeys, relatedRefKey, t13, timeToLive, WAITING_HOLDS } from "../keys.ts";
import { type Hold, type HoldItem, holdItem, type NewHold, parseHoldId, toHold } from "./hold-items.ts";

export type Holds = ReturnType<typeof holdStore>;

/** What came of the one send of a hold. */
export type HoldOutcome =
  | { readonly trigger: "accept"; readonly platformMessageId: string }
  | { readonly trigger: "fail"; readonly error: HoldError };

/** One change of a hold's item. */
interface HoldChange {
  readonly trigger: HoldTrigger;
  readonly set?: Readonly<Record<string, unknown>>;
  /** What must hold besides the status. */
  readonly condition: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Only what waits has content, and a place in the index of what waits. */
const WAITING_ATTRIBUTES = ["b", "a", "F", "G"] as const;

/**
 * Held messages. Each goes through `holdTransitions` and no other way, every step one conditional write. The content
 * leaves with the first step, so that nothing that ended, however it did, has any.
 */
export function holdStore({ client, name: TableName }: Table) {
  return {
    /**
     * A new hold, the row by which erasing its conversation finds it, and its audit row: all of them or none. Safe to
     * repeat with the same id.
     * @param asOf an instant of the conversation, such as of its last inbound message: an erasure that is
     *   newer takes the hold along
     * @returns false when the conversation is gone
     */
    async create(hold: NewHold, asOf: Millis, audit: AuditEntry): Promise<boolean> {
      const tenant = readConversationId(hold.conversationId)?.tenant;
      if (!tenant) return false;
      const ref = relatedRefKey(hold.conversationId, "hold", hold.id);
      const result = await conditionalTransaction(() =>
        client.send(
          new TransactWriteCommand({
            TransactItems: [
              {
                Put: {
                  TableName,
                  Item: holdItem(hold),
                  ConditionExpression: conditions.itemDoesNotExist,
                  ReturnValuesOnConditionCheckFailure: "ALL_OLD",
                },
              },
              { Put: { TableName, Item: { ...ref, at: asOf, x: timeToLive(hold.createdAt + HOLD_READABLE) } } },
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
      return result.applied || result.current?.PK === relatedKeys.hold(hold.id).PK;
    },

    /** One hold as it was last written, read consistently. */
    async get(id: string): Promise<Hold | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: relatedKeys.hold(id), ConsistentRead: true }),
      );
      return Item ? toHold(Item as HoldItem) : null;
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
    expire({ id, state }: Pick<Hold, "id" | "state">, now: Millis): Promise<Hold | null> {
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
    async *listOverdue(now: Millis): AsyncGenerator<Pick<Hold, "id" | "state">[]> {
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
          id: parseHoldId(key),
          state: { status: "awaiting_verification" },
        }));
        ExclusiveStartKey = LastEvaluatedKey;
      } while (ExclusiveStartKey);
    },
  };

  async function change(id: string, { trigger, set = {}, condition, values }: HoldChange): Promise<Hold | null> {
    const allowedStatuses = holdStatusesBefore(trigger);
    const [fromStatus] = allowedStatuses;
    const toStatus = fromStatus && nextHoldStatus(fromStatus, trigger);
    // What ran out is known by having no content: its status stays as it is.
    const assignedValues = Object.entries(toStatus && toStatus !== "expired" ? { ...set, st: toStatus } : set);
    const result = await conditionalWrite(() =>
      client.send(
        new UpdateCommand({
          TableName,
          Key: relatedKeys.hold(id),
          UpdateExpression: `${assignedValues.length > 0 ? `SET ${assignedValues.map(([name]) => `${name} = :to_${name}`).join(", ")} ` : ""}REMOVE ${WAITING_ATTRIBUTES.join(", ")}`,
          ConditionExpression: `st IN (${allowedStatuses.map((_, index) => `:from${index}`).join(", ")}) AND ${condition}`,
          ExpressionAttributeValues: {
            ...values,
            ...Object.fromEntries(allowedStatuses.map((status, index) => [`:from${index}`, status])),
            ...Object.fromEntries(assignedValues.map(([name, value]) => [`:to_${name}`, value])),
          },
          ReturnValues: "ALL_NEW",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      ),
    );
    const item = result.applied ? result.output.Attributes : result.current;
    return item ? toHold(item as unknown as HoldItem) : null;
  }
}
