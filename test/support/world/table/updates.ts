import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { type Operand, readName, readOperand, type Scope } from "./operands.ts";
import { Tokens } from "./tokens.ts";
import { InvalidRequest, type Item, isEmptySet } from "./values.ts";

/** The new value of one attribute; undefined removes it. Operands are evaluated on the item before the update. */
type Action = (scope: Scope) => readonly [name: string, value: AttributeValue | undefined];

const compiled = new Map<string, readonly Action[]>();

/** Applies an update expression. @returns the new item and the names of the changed attributes */
export function applyUpdate(text: string, scope: Scope): { readonly item: Item; readonly changed: readonly string[] } {
  const changes = parseUpdate(text).map((action) => action(scope));
  const item: Record<string, AttributeValue> = { ...scope.item };
  for (const [name, value] of changes) {
    if (value === undefined || isEmptySet(value)) delete item[name];
    else item[name] = value;
  }
  return { item, changed: changes.map(([name]) => name) };
}

function parseUpdate(text: string): readonly Action[] {
  const known = compiled.get(text);
  if (known) return known;
  const tokens = new Tokens(text);
  const actions: Action[] = [];
  while (tokens.lookAhead() !== undefined) {
    const readAction = clauses[tokens.next().toUpperCase()];
    if (!readAction) throw new InvalidRequest(`Unsupported update: ${text}`);
    do actions.push(readAction(tokens));
    while (tokens.take(","));
  }
  compiled.set(text, actions);
  return actions;
}

const clauses: Readonly<Record<string, (tokens: Tokens) => Action>> = {
  SET: (tokens) => {
    const name = readName(tokens);
    tokens.expect("=");
    const operand = readSum(tokens);
    return (scope) => {
      const value = operand(scope);
      if (!value) throw new InvalidRequest("The update refers to an attribute that does not exist in the item");
      return [name(scope), value];
    };
  },
  REMOVE: (tokens) => {
    const name = readName(tokens);
    return (scope) => [name(scope), undefined];
  },
  ADD: (tokens) => {
    const [name, operand] = [readName(tokens), readOperand(tokens)];
    return (scope) => [name(scope), added(scope.item[name(scope)], operand(scope))];
  },
  DELETE: (tokens) => {
    const [name, operand] = [readName(tokens), readOperand(tokens)];
    return (scope) => [name(scope), without(scope.item[name(scope)], operand(scope))];
  },
};

function readSum(tokens: Tokens): Operand {
  const left = readSetOperand(tokens);
  const isMinus = tokens.lookAhead() === "-";
  if (!tokens.take("+") && !tokens.take("-")) return left;
  const right = readSetOperand(tokens);
  return (scope) => {
    const [first, second] = [left(scope)?.N, right(scope)?.N];
    if (first === undefined || second === undefined) throw new InvalidRequest("An operand is not a number");
    return { N: String(Number(first) + (isMinus ? -1 : 1) * Number(second)) };
  };
}

function readSetOperand(tokens: Tokens): Operand {
  if (tokens.lookAhead() !== "if_not_exists") return readOperand(tokens);
  tokens.next();
  tokens.expect("(");
  const name = readName(tokens);
  tokens.expect(",");
  const fallback = readSetOperand(tokens);
  tokens.expect(")");
  return (scope) => scope.item[name(scope)] ?? fallback(scope);
}

function added(stored: AttributeValue | undefined, value: AttributeValue | undefined): AttributeValue | undefined {
  if (value?.N !== undefined) return { N: String(Number(stored?.N ?? 0) + Number(value.N)) };
  if (value?.SS) return { SS: [...new Set([...(stored?.SS ?? []), ...value.SS])] };
  if (value?.NS) return { NS: [...new Set([...(stored?.NS ?? []), ...value.NS])] };
  throw new InvalidRequest("ADD needs a number or a set");
}

function without(stored: AttributeValue | undefined, value: AttributeValue | undefined): AttributeValue | undefined {
  if (stored?.SS) return { SS: stored.SS.filter((element) => !value?.SS?.includes(element)) };
  if (stored?.NS) return { NS: stored.NS.filter((element) => !value?.NS?.includes(element)) };
  return stored;
}
