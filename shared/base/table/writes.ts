import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  type DeleteCommandInput,
  PutCommand,
  type PutCommandInput,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { OutOfTime } from "../kernel/deadline.ts";
import { ATTEMPTS_MAX, backoff } from "./backoff.ts";
import type { Table } from "./client.ts";
import { type Changes, type Expression, numberValues, reservedNames, updateExpression } from "./expressions.ts";
import type { Key } from "./keys.ts";

// The writes of the stores, as values: each is sent alone or as a part of a transaction. The helpers that send them
// add the table's name, and ask for the stored item where a condition fails.

type Part<Input> = Omit<Input, "TableName" | "ReturnValuesOnConditionCheckFailure">;
type TransactPart = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

export type Write =
  | { readonly Put: Part<PutCommandInput> }
  | { readonly Update: Part<UpdateCommandInput> }
  | { readonly Delete: Part<DeleteCommandInput> };

export type TransactItem = Write | { readonly ConditionCheck: Part<NonNullable<TransactPart["ConditionCheck"]>> };

/** What an update answers: the item as it was, as it is now, or the changed attributes as they are now. */
type Returned = "ALL_OLD" | "ALL_NEW" | "UPDATED_NEW";

/**
 * Replaces the whole item under this key. Use it for an item that does not exist, or whose old attributes must not
 * remain.
 */
export function put(
  Item: Readonly<Record<string, unknown>> & Key,
  condition?: Expression,
  ReturnValues?: "ALL_OLD",
): Write {
  return { Put: { Item, ...conditionInput(condition), ...(ReturnValues ? { ReturnValues } : {}) } };
}

/**
 * Writes an item that may exist. Attributes that it has and this release does not know stay, which a `put` removes:
 * another release may have written them. An undefined value removes the attribute.
 */
export function assign({ PK, SK, ...set }: Readonly<Record<string, unknown>> & Key): Write {
  return update({ PK, SK }, { set });
}

export function update(Key: Key, changes: Changes, condition?: Expression, ReturnValues?: Returned): Write {
  const expression = updateExpression(changes);
  const { texts, values } = numberValues({ UpdateExpression: expression, ConditionExpression: condition });
  const names = reservedNames(Object.values(texts));
  return {
    Update: {
      Key,
      UpdateExpression: texts.UpdateExpression,
      ...(texts.ConditionExpression ? { ConditionExpression: texts.ConditionExpression } : {}),
      ...(values ? { ExpressionAttributeValues: values } : {}),
      ...(names ? { ExpressionAttributeNames: names } : {}),
      ...(ReturnValues ? { ReturnValues } : {}),
    },
  };
}

export function remove(Key: Key, condition?: Expression, ReturnValues?: "ALL_OLD"): Write {
  return { Delete: { Key, ...conditionInput(condition), ...(ReturnValues ? { ReturnValues } : {}) } };
}

/** A condition on an item that the transaction does not write. */
export function check(Key: Key, condition: Expression): TransactItem {
  const { texts, values } = numberValues({ ConditionExpression: condition });
  return {
    ConditionCheck: {
      Key,
      ConditionExpression: texts.ConditionExpression,
      ...(values ? { ExpressionAttributeValues: values } : {}),
    },
  };
}

export interface SendOptions {
  /** The SDK retries only what the service certainly refused, so that the write is never applied twice. */
  readonly atMostOnce?: boolean;
  readonly abortSignal?: AbortSignal;
  /** A draw from [0, 1): the jitter of the wait after a conflict with a transaction. */
  readonly random?: () => number;
}

/**
 * Sends one write. Retries it when a transaction on the same item is in progress, which the SDK does not.
 * @returns the attributes that the write asked for
 * @throws UnknownOutcome with `atMostOnce`, when the write may have been applied
 */
export async function sendWrite(
  { client, name: TableName }: Table,
  write: Write,
  { atMostOnce = false, abortSignal, random }: SendOptions = {},
): Promise<Record<string, unknown> | undefined> {
  for (let attempt = 1; ; attempt++) {
    const command = toCommand(TableName, write);
    if (atMostOnce) throwUnknownOutcomes(command);
    try {
      const { Attributes } = await client.send(command, abortSignal ? { abortSignal } : {});
      return Attributes;
    } catch (error) {
      if (!(error instanceof TransactionConflictException) || attempt === ATTEMPTS_MAX) throw error;
    }
    await backoff(attempt, random);
  }
}

/** The response to a request was lost, or the service failed while processing it: the write may have been applied. */
export class UnknownOutcome extends Error {
  override readonly name = "UnknownOutcome";
}

/**
 * Refusals, aborts and attempts that did not begin are thrown as they are, everything else as an UnknownOutcome, which
 * the SDK does not retry.
 */
function throwUnknownOutcomes(command: UpdateCommand): void {
  command.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (isRefusal(error) || error instanceof OutOfTime || isAbort(error)) throw error;
        throw new UnknownOutcome("The table's response was lost, so the write may have been applied.");
      }
    },
    // Around each attempt, inside the SDK's retries. A document command adds its own middleware twice.
    { step: "finalizeRequest", priority: "normal", name: "atMostOnce", override: true },
  );
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

function isRefusal(error: unknown): boolean {
  const { httpStatusCode = 0 } = (error as { $metadata?: { httpStatusCode?: number } })?.$metadata ?? {};
  return httpStatusCode >= 400 && httpStatusCode < 500;
}

/** The three commands answer alike, so that one type stands for all. */
function toCommand(TableName: string, write: Write): UpdateCommand {
  const withTable = <Input extends object>(input: Input) => ({ TableName, ...input, ...currentOnFailure(input) });
  if ("Put" in write) return new PutCommand(withTable(write.Put)) as unknown as UpdateCommand;
  if ("Delete" in write) return new DeleteCommand(withTable(write.Delete)) as unknown as UpdateCommand;
  return new UpdateCommand(withTable(write.Update));
}

/** Asks for the stored item where the condition fails. */
export function currentOnFailure(input: { readonly ConditionExpression?: string | undefined }) {
  return input.ConditionExpression ? { ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const } : {};
}

function conditionInput(condition: Expression | undefined) {
  if (!condition) return {};
  const { texts, values } = numberValues({ ConditionExpression: condition });
  return { ...texts, ...(values ? { ExpressionAttributeValues: values } : {}) };
}
