import {
  type BatchWriteItemInput,
  type CancellationReason,
  ConditionalCheckFailedException,
  type DeleteItemInput,
  IdempotentParameterMismatchException,
  type PutItemInput,
  TransactionCanceledException,
  type TransactWriteItem,
  type TransactWriteItemsInput,
  type UpdateItemInput,
} from "@aws-sdk/client-dynamodb";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { parseCondition } from "./conditions.ts";
import type { Scope } from "./operands.ts";
import { primaryKey } from "./schema.ts";
import type { Storage } from "./storage.ts";
import { applyUpdate } from "./updates.ts";
import { InvalidRequest, type Item } from "./values.ts";
import type { Change } from "./view.ts";

/** One write or check, in the parts that all kinds share. */
interface ItemWrite {
  readonly key: Item;
  readonly condition: string | undefined;
  readonly scope: Omit<Scope, "item">;
  readonly returnOnFailure: boolean;
  /** The item after the write; the same item for a check. */
  next(before: Item | null): { readonly after: Item | null; readonly changed: readonly string[] };
}

/** A transaction by its token, for ten minutes. */
interface TokenUse {
  readonly writes: string;
  readonly endsAt: Millis;
  readonly applied: boolean;
}

const TOKEN_LIFE: Millis = 10 * MINUTE;

export function tableWrites(storage: Storage, now: () => Millis) {
  const tokens = new Map<string, TokenUse>();

  function apply(write: ItemWrite, returns: string | undefined) {
    const before = storage.get(write.key);
    if (!holds(write, before)) {
      throw new ConditionalCheckFailedException({
        $metadata: { httpStatusCode: 400 },
        message: "The conditional request failed",
        ...(write.returnOnFailure && before ? { Item: before } : {}),
      });
    }
    const { after, changed } = write.next(before);
    commit({ before, after });
    return returnedAttributes(returns, before, after, changed);
  }

  function commit(change: Change): void {
    if (change.before || change.after) storage.write(change);
  }

  return {
    PutItem: (input: PutItemInput) => apply(toPut(input), input.ReturnValues),
    UpdateItem: (input: UpdateItemInput) => apply(toUpdate(input), input.ReturnValues),
    DeleteItem: (input: DeleteItemInput) => apply(toDelete(input), input.ReturnValues),

    BatchWriteItem({ RequestItems = {} }: BatchWriteItemInput) {
      const requests = Object.values(RequestItems).flat();
      if (requests.length === 0 || requests.length > 25) throw new InvalidRequest("A batch has 1 to 25 requests");
      for (const { PutRequest, DeleteRequest } of requests) {
        if (PutRequest) apply(toPut({ TableName: "", Item: PutRequest.Item }), undefined);
        if (DeleteRequest) apply(toDelete({ TableName: "", Key: DeleteRequest.Key }), undefined);
      }
      return { UnprocessedItems: {} };
    },

    /**
     * All or nothing. A token of the last ten minutes is a repetition, which does nothing if the first one was applied.
     * A token with other writes is refused, also after a cancelled transaction.
     */
    TransactWriteItems({ TransactItems = [], ClientRequestToken: token = "" }: TransactWriteItemsInput) {
      if (token.length > 36) throw new InvalidRequest("A token has at most 36 characters");
      const use = useToken(token, JSON.stringify(TransactItems));
      if (use.applied) return {};
      const writes = TransactItems.map(toItemWrite);
      if (new Set(writes.map(({ key }) => primaryKey(key))).size < writes.length)
        throw new InvalidRequest("A transaction has one operation for each item");
      const before = writes.map(({ key }) => storage.get(key));
      const reasons = writes.map((write, i) => failureReason(write, before[i] ?? null));
      if (reasons.some(({ Code }) => Code !== "None")) {
        throw new TransactionCanceledException({
          $metadata: { httpStatusCode: 400 },
          message: `Transaction cancelled, please refer cancellation reasons for specific reasons`,
          CancellationReasons: reasons,
        });
      }
      const changes = writes.map((write, i) => {
        const item = before[i] ?? null;
        return { before: item, after: write.next(item).after };
      });
      for (const change of changes) if (change.before !== change.after) commit(change);
      tokens.set(token, { ...use, applied: true });
      return {};
    },
  };

  function useToken(token: string, writes: string): TokenUse {
    const earlier = tokens.get(token);
    const use = earlier && earlier.endsAt > now() ? earlier : { writes, endsAt: now() + TOKEN_LIFE, applied: false };
    if (use.writes !== writes) {
      throw new IdempotentParameterMismatchException({
        $metadata: { httpStatusCode: 400 },
        message: "The client token was used with other parameters",
      });
    }
    tokens.set(token, use);
    return use;
  }
}

function holds({ condition, scope }: ItemWrite, before: Item | null): boolean {
  return condition === undefined || parseCondition(condition)({ ...scope, item: before ?? {} });
}

function failureReason(write: ItemWrite, before: Item | null): CancellationReason {
  if (holds(write, before)) return isValid(write, before) ? { Code: "None" } : { Code: "ValidationError" };
  return {
    Code: "ConditionalCheckFailed",
    Message: "The conditional request failed",
    ...(write.returnOnFailure && before ? { Item: before } : {}),
  };
}

function isValid(write: ItemWrite, before: Item | null): boolean {
  try {
    write.next(before);
    return true;
  } catch (error) {
    if (error instanceof InvalidRequest) return false;
    throw error;
  }
}

function toItemWrite({ Put, Update, Delete, ConditionCheck }: TransactWriteItem): ItemWrite {
  if (Put) return toPut(Put as PutItemInput);
  if (Update) return toUpdate(Update as UpdateItemInput);
  if (Delete) return toDelete(Delete as DeleteItemInput);
  return { ...common(ConditionCheck?.Key, ConditionCheck ?? {}), next: (after) => ({ after, changed: [] }) };
}

function toPut(input: PutItemInput): ItemWrite {
  const item = input.Item ?? {};
  return { ...common(item, input), next: () => ({ after: item, changed: [] }) };
}

function toUpdate(input: UpdateItemInput): ItemWrite {
  const key = input.Key ?? {};
  const shared = common(key, input);
  return {
    ...shared,
    next: (before) => {
      const { item, changed } = applyUpdate(input.UpdateExpression ?? "", { ...shared.scope, item: before ?? {} });
      return { after: { ...item, ...key }, changed };
    },
  };
}

function toDelete(input: DeleteItemInput): ItemWrite {
  return { ...common(input.Key, input), next: () => ({ after: null, changed: [] }) };
}

type Conditions = Pick<
  PutItemInput,
  | "ConditionExpression"
  | "ExpressionAttributeNames"
  | "ExpressionAttributeValues"
  | "ReturnValuesOnConditionCheckFailure"
>;

function common(key: Item | undefined, input: Conditions): Omit<ItemWrite, "next"> {
  if (key?.PK?.S === undefined || key.SK?.S === undefined) throw new InvalidRequest("The key is missing");
  return {
    key,
    condition: input.ConditionExpression,
    scope: { names: input.ExpressionAttributeNames ?? {}, values: input.ExpressionAttributeValues ?? {} },
    returnOnFailure: input.ReturnValuesOnConditionCheckFailure === "ALL_OLD",
  };
}

function returnedAttributes(
  returns: string | undefined,
  before: Item | null,
  after: Item | null,
  changed: readonly string[],
) {
  if (returns === "ALL_OLD") return before ? { Attributes: before } : {};
  if (returns === "ALL_NEW") return { Attributes: after ?? {} };
  if (returns !== "UPDATED_NEW") return {};
  const entries = changed.flatMap((name) => (after?.[name] ? [[name, after[name]]] : []));
  return entries.length > 0 ? { Attributes: Object.fromEntries(entries) } : {};
}
