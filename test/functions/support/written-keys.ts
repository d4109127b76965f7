import type { FunctionName } from "#base/config/names.ts";
import { policyStatements, synthesizeTemplates } from "../../lib/synth-templates.ts";

interface WriteInput {
  readonly Item?: { readonly PK: unknown };
  readonly Key?: { readonly PK: unknown };
  readonly TransactItems?: readonly Readonly<Record<string, WriteInput>>[];
}

/** The beginning of the key of each write of a call after its action: `Put D#`. None for a call that reads. */
export function writesOf(command: string, input: unknown): string[] {
  if (!/^(Put|Update|Delete|TransactWrite)/.test(command)) return [];
  const { TransactItems = [] } = input as WriteInput;
  const parts = TransactItems.flatMap((part) => Object.entries(part) as [string, WriteInput][]);
  if (parts.length > 0) return parts.flatMap(([action, part]) => writesOf(action, part));
  return keysIn(input as WriteInput).map((key) => `${command.replace(/Item$/, "")} ${/^[A-Z]+#/.exec(key)?.[0]}`);
}

/** The beginnings of the partition keys under which a role may write, each after its action: `Put D#`. */
export function writableByAction(name: FunctionName): string[] {
  return policyStatements(synthesizeTemplates().service, name).flatMap(({ Action, Condition }) => {
    const { "ForAllValues:StringLike": keys } = (Condition ?? {}) as Record<string, Record<string, string[]>>;
    const action = String(Action).replace(/^dynamodb:(\w+)Item$/, "$1");
    return keys?.["dynamodb:LeadingKeys"]?.map((pattern) => `${action} ${pattern.slice(0, -1)}`) ?? [];
  });
}

/** The partition keys that a call to the table writes or checks, as text. None for a call that reads. */
export function writtenKeys(command: string, input: unknown): string[] {
  return /^(Put|Update|Delete|TransactWrite)/.test(command) ? keysIn(input as WriteInput) : [];
}

function keysIn({ Item, Key, TransactItems = [] }: WriteInput): string[] {
  const parts = TransactItems.flatMap((part) => Object.values(part).flatMap(keysIn));
  const own = [Item?.PK, Key?.PK].filter((key) => key !== undefined);
  // Of the document client, or with the types of DynamoDB.
  return [...own.map((key) => (typeof key === "string" ? key : (key as { S: string }).S)), ...parts];
}

/** The beginnings of the partition keys under which a role may write. */
export function writableBeginnings(name: FunctionName): string[] {
  return policyStatements(synthesizeTemplates().service, name).flatMap(({ Condition }) => {
    const { "ForAllValues:StringLike": keys } = (Condition ?? {}) as Record<string, Record<string, string[]>>;
    return keys?.["dynamodb:LeadingKeys"]?.map((pattern) => pattern.slice(0, -1)) ?? [];
  });
}
