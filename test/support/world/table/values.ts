import type { AttributeValue } from "@aws-sdk/client-dynamodb";

export type Item = Readonly<Record<string, AttributeValue>>;

/** A request that DynamoDB, or this table, does not accept. */
export class InvalidRequest extends Error {
  override readonly name = "ValidationException";
}

type TypeName = "S" | "N" | "B" | "BOOL" | "NULL" | "SS" | "NS" | "BS" | "L" | "M";

export function typeOf(value: AttributeValue): TypeName {
  return Object.keys(value)[0] as TypeName;
}

/** Numbers are compared as numbers: `1` equals `1.0`. */
export function areEqual(left: AttributeValue, right: AttributeValue): boolean {
  return typeOf(left) === typeOf(right) && canonical(left) === canonical(right);
}

function canonical(value: AttributeValue): string {
  switch (typeOf(value)) {
    case "N":
      return String(Number(value.N));
    case "B":
      return Buffer.from(value.B ?? []).toString("base64");
    case "SS":
      return JSON.stringify([...(value.SS ?? [])].sort());
    case "NS":
      return JSON.stringify((value.NS ?? []).map(Number).sort());
    case "BS":
      return JSON.stringify((value.BS ?? []).map((bytes) => Buffer.from(bytes).toString("base64")).sort());
    case "L":
      return `[${(value.L ?? []).map((element) => typeOf(element) + canonical(element)).join()}]`;
    case "M":
      return JSON.stringify(
        Object.entries(value.M ?? {})
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, element]) => [name, typeOf(element), canonical(element)]),
      );
    default:
      return JSON.stringify(value);
  }
}

/** Negative, zero or positive; null when the two have no order. */
export function compare(left: AttributeValue, right: AttributeValue): number | null {
  if (left.S !== undefined && right.S !== undefined) return compareText(left.S, right.S);
  if (left.N !== undefined && right.N !== undefined) return Number(left.N) - Number(right.N);
  if (left.B !== undefined && right.B !== undefined) return Buffer.compare(left.B, right.B);
  return null;
}

/** DynamoDB compares UTF-8 bytes. Code units have the same order except beyond U+FFFF, which no key contains. */
export function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

/** A set without elements cannot be stored. */
export function isEmptySet(value: AttributeValue): boolean {
  return [value.SS, value.NS, value.BS].some((elements) => elements?.length === 0);
}
