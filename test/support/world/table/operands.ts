import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { Tokens } from "./tokens.ts";
import { InvalidRequest, type Item } from "./values.ts";

/** What an expression is evaluated on: an item, and the placeholders of the request. */
export interface Scope {
  readonly item: Item;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, AttributeValue>>;
}

/** Undefined stands for an absent attribute. */
export type Operand = (scope: Scope) => AttributeValue | undefined;

/** The name of an attribute, or its placeholder. */
export function readName(tokens: Tokens): (scope: Pick<Scope, "names">) => string {
  const token = tokens.next();
  if (!token.startsWith("#")) return () => token;
  return ({ names }) => {
    const name = names[token];
    if (name === undefined) throw new InvalidRequest(`Undefined name: ${token}`);
    return name;
  };
}

/** A placeholder of a value, an attribute or its size. */
export function readOperand(tokens: Tokens): Operand {
  const token = tokens.lookAhead() ?? "";
  if (token.startsWith(":")) {
    tokens.next();
    return ({ values }) => {
      const value = values[token];
      if (value === undefined) throw new InvalidRequest(`Undefined value: ${token}`);
      return value;
    };
  }
  if (token === "size" && tokens.lookAhead(1) === "(") {
    tokens.next();
    tokens.next();
    const operand = readOperand(tokens);
    tokens.expect(")");
    return (scope) => {
      const value = operand(scope);
      return value && { N: String(sizeOf(value)) };
    };
  }
  const name = readName(tokens);
  return (scope) => scope.item[name(scope)];
}

function sizeOf(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.B !== undefined) return value.B.length;
  const elements = value.SS ?? value.NS ?? value.BS ?? value.L ?? Object.keys(value.M ?? {});
  return elements.length;
}
