import type { FunctionName } from "#base/config/names.ts";
import { policyStatements, synthesizeTemplates } from "../../lib/synth-templates.ts";

interface WriteInput {
  readonly Item?: { readonly PK: unknown };
  readonly Key?: { readonly PK: unknown };
  readonly TransactItems?: readonly Readonly<Record<string, WriteInput>>[];
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
