import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { type Operand, readOperand, type Scope } from "./operands.ts";
import { Tokens } from "./tokens.ts";
import { areEqual, compare, InvalidRequest } from "./values.ts";

export type Condition = (scope: Scope) => boolean;

const compiled = new Map<string, Condition>();

/** Compiles a condition, filter or key condition. @throws InvalidRequest for what it does not support */
export function parseCondition(text: string): Condition {
  const known = compiled.get(text);
  if (known) return known;
  const tokens = new Tokens(text);
  const condition = readAny(tokens);
  tokens.end();
  compiled.set(text, condition);
  return condition;
}

function readAny(tokens: Tokens): Condition {
  const parts = [readAll(tokens)];
  while (tokens.take("OR")) parts.push(readAll(tokens));
  return (scope) => parts.some((part) => part(scope));
}

function readAll(tokens: Tokens): Condition {
  const parts = [readNegation(tokens)];
  while (tokens.take("AND")) parts.push(readNegation(tokens));
  return (scope) => parts.every((part) => part(scope));
}

function readNegation(tokens: Tokens): Condition {
  if (!tokens.take("NOT")) return readPrimary(tokens);
  const negated = readNegation(tokens);
  return (scope) => !negated(scope);
}

function readPrimary(tokens: Tokens): Condition {
  if (tokens.take("(")) {
    const inner = readAny(tokens);
    tokens.expect(")");
    return inner;
  }
  const call = tokens.lookAhead(1) === "(" ? functions[tokens.lookAhead() ?? ""] : undefined;
  if (call) {
    tokens.next();
    tokens.next();
    const operands = readList(tokens);
    tokens.expect(")");
    return (scope) => call(...operands.map((operand) => operand(scope)));
  }
  return readComparison(tokens, readOperand(tokens));
}

type Value = AttributeValue | undefined;

const functions: Readonly<Record<string, (...values: Value[]) => boolean>> = {
  attribute_exists: (value) => value !== undefined,
  attribute_not_exists: (value) => value === undefined,
  begins_with: (value, prefix) => value?.S !== undefined && prefix?.S !== undefined && value.S.startsWith(prefix.S),
  contains: (value, element) => {
    if (!value || !element) return false;
    if (value.S !== undefined) return element.S !== undefined && value.S.includes(element.S);
    if (value.L) return value.L.some((each) => areEqual(each, element));
    if (value.SS) return value.SS.some((S) => areEqual({ S }, element));
    return (value.NS ?? []).some((N) => areEqual({ N }, element));
  },
};

/** By operator, the orders that it accepts. */
const comparators: Readonly<Record<string, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

function readComparison(tokens: Tokens, left: Operand): Condition {
  if (tokens.take("BETWEEN")) {
    const low = readOperand(tokens);
    tokens.expect("AND");
    const high = readOperand(tokens);
    return (scope) =>
      isOrdered(low(scope), left(scope), (order) => order <= 0) &&
      isOrdered(left(scope), high(scope), (order) => order <= 0);
  }
  if (tokens.take("IN")) {
    tokens.expect("(");
    const candidates = readList(tokens);
    tokens.expect(")");
    return (scope) => candidates.some((candidate) => isSame(left(scope), candidate(scope)));
  }
  const operator = tokens.next();
  const right = readOperand(tokens);
  if (operator === "=") return (scope) => isSame(left(scope), right(scope));
  // An absent attribute differs from every value.
  if (operator === "<>") return (scope) => !isSame(left(scope), right(scope));
  const accepts = comparators[operator];
  if (!accepts) throw new InvalidRequest(`Unsupported operator: ${operator}`);
  return (scope) => isOrdered(left(scope), right(scope), accepts);
}

function readList(tokens: Tokens): Operand[] {
  const operands = [readOperand(tokens)];
  while (tokens.take(",")) operands.push(readOperand(tokens));
  return operands;
}

function isSame(left: Value, right: Value): boolean {
  return left !== undefined && right !== undefined && areEqual(left, right);
}

function isOrdered(left: Value, right: Value, accepts: (order: number) => boolean): boolean {
  const order = left && right ? compare(left, right) : null;
  return order !== null && accepts(order);
}
