import type { FunctionName } from "#base/config/names.ts";
import { policyStatements, synthesizeTemplates } from "../../lib/synth-templates.ts";

interface WriteInput {
  readonly Item?: { readonly PK: unknown };
  readonly Key?: { readonly PK: unknown };
  readonly TransactItems?: readonly Readonly<Record<string, WriteInput>>[];
}

/** The beginning of the key of each write and check of a call after its action: `Put D#`. None for a call that reads. */
export function writesOf(command: string, input: unknown): string[] {
  if (!/^(Put|Update|Delete|ConditionCheck|TransactWrite)/.test(command)) return [];
  const { Item, Key, TransactItems = [] } = input as WriteInput;
  const parts = TransactItems.flatMap((part) => Object.entries(part));
  if (parts.length > 0) return parts.flatMap(([action, part]) => writesOf(action, part));
  const key = Item?.PK ?? Key?.PK;
  // Of the document client, or with the types of DynamoDB.
  const text = typeof key === "string" ? key : (key as { S: string }).S;
  return [`${command.replace(/Item$/, "")} ${/^[A-Z]+#?/.exec(text)?.[0]}`];
}

/** The beginnings of the partition keys under which a role may write, each after its action: `Put D#`. A key itself: `Put Q`. */
export function writableByAction(name: FunctionName): string[] {
  return policyStatements(synthesizeTemplates().service, name).flatMap(({ Action, Condition }) => {
    const action = String(Action).replace(/^dynamodb:(\w+)Item$/, "$1");
    return writableBeginnings(Condition).map((beginning) => `${action} ${beginning}`);
  });
}

/** The beginnings of partition keys that a statement's condition allows, and keys that it allows as they are. */
export function writableBeginnings(condition: unknown): string[] {
  const { "ForAllValues:StringLike": keys } = (condition ?? {}) as Record<string, Record<string, string[]>>;
  return keys?.["dynamodb:LeadingKeys"]?.map((pattern) => pattern.replace(/\*$/, "")) ?? [];
}
