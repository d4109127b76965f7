// Builders for DynamoDB expressions. A `?` in a text stands for the next of its values; `numberValues` replaces it by
// a placeholder when the request is built, so that composed conditions never clash.

/** Attributes whose names are reserved words of DynamoDB. */
const reservedWords: ReadonlySet<string> = new Set(["at", "by"]);

/** A condition, or an operand of `SET`. */
export class Expression {
  readonly text: string;
  readonly values: readonly unknown[];

  constructor(text: string, values: readonly unknown[] = []) {
    this.text = text;
    this.values = values;
  }
}

const comparison = (operator: string) => (attribute: string, value: unknown) =>
  new Expression(`${nameInExpression(attribute)} ${operator} ?`, [value]);

export const equals = comparison("=");
export const differs = comparison("<>");
export const below = comparison("<");
export const atMost = comparison("<=");
export const atLeast = comparison(">=");
export const above = comparison(">");

export function isAbsent(attribute: string): Expression {
  return new Expression(`attribute_not_exists(${nameInExpression(attribute)})`);
}

export function isPresent(attribute: string): Expression {
  return new Expression(`attribute_exists(${nameInExpression(attribute)})`);
}

export function isOneOf(attribute: string, values: readonly unknown[]): Expression {
  return new Expression(`${nameInExpression(attribute)} IN (${values.map(() => "?").join(", ")})`, values);
}

export function setContains(attribute: string, value: unknown): Expression {
  return new Expression(`contains(${nameInExpression(attribute)}, ?)`, [value]);
}

export function startsWith(attribute: string, prefix: string): Expression {
  return new Expression(`begins_with(${nameInExpression(attribute)}, ?)`, [prefix]);
}

export function sizeBelow(attribute: string, size: number): Expression {
  return new Expression(`size(${nameInExpression(attribute)}) < ?`, [size]);
}

/** The attribute still has the value that was read; undefined when it was absent. */
export function isUnchanged(attribute: string, value: unknown): Expression {
  return value === undefined ? isAbsent(attribute) : equals(attribute, value);
}

export function absentOr(condition: typeof below, attribute: string, value: unknown): Expression {
  return anyOf(isAbsent(attribute), condition(attribute, value));
}

export const itemExists = isPresent("PK");
export const itemDoesNotExist = isAbsent("PK");

export function allOf(...conditions: readonly Expression[]): Expression {
  return join(" AND ", conditions);
}

export function anyOf(...conditions: readonly Expression[]): Expression {
  const { text, values } = join(" OR ", conditions);
  return new Expression(`(${text})`, values);
}

/** An operand of `SET`: the stored value where there is one, else this. */
export function storedOr(attribute: string, value: unknown): Expression {
  return new Expression(`if_not_exists(${nameInExpression(attribute)}, ?)`, [value]);
}

/** An operand of `SET`: the stored number plus this. */
export function storedPlus(attribute: string, value: number): Expression {
  return new Expression(`${nameInExpression(attribute)} + ?`, [value]);
}

/** An operand of `SET`: the value that another attribute has before the write. */
export function copyOf(attribute: string): Expression {
  return new Expression(nameInExpression(attribute));
}

/** What an update does to the attributes of its item. */
export interface Changes {
  /** An undefined value removes the attribute. */
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  /** Adds to a number or to a set. */
  readonly add?: Readonly<Record<string, unknown>>;
  /** Deletes elements of a set. */
  readonly deleteFrom?: Readonly<Record<string, ReadonlySet<unknown>>>;
}

export function updateExpression({ set = {}, remove = [], add = {}, deleteFrom = {} }: Changes): Expression {
  const assignments = Object.entries(set).filter(([, value]) => value !== undefined);
  const removedNames = [...remove, ...Object.keys(set).filter((name) => set[name] === undefined)];
  const clauses = [
    clause(
      "SET",
      assignments.map(([name, value]) => {
        const operand = value instanceof Expression ? value : new Expression("?", [value]);
        return new Expression(`${nameInExpression(name)} = ${operand.text}`, operand.values);
      }),
    ),
    clause(
      "REMOVE",
      removedNames.map((name) => new Expression(nameInExpression(name))),
    ),
    clause("ADD", elements(add)),
    clause("DELETE", elements(deleteFrom)),
  ];
  return join(
    " ",
    clauses.filter(({ text }) => text !== ""),
  );
}

/** Replaces each `?` by the placeholder of its value. The values of all expressions of a request are numbered together. */
export function numberValues(expressions: Readonly<Record<string, Expression | undefined>>): {
  readonly texts: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>> | undefined;
} {
  const values: Record<string, unknown> = {};
  let count = 0;
  const texts = Object.entries(expressions).flatMap(([name, expression]) => {
    if (!expression) return [];
    const text = expression.text.replace(/\?/g, () => `:${count++}`);
    const first = count - expression.values.length;
    for (const [index, value] of expression.values.entries()) values[`:${first + index}`] = value;
    return [[name, text]];
  });
  return { texts: Object.fromEntries(texts), values: count > 0 ? values : undefined };
}

function nameInExpression(attribute: string): string {
  return reservedWords.has(attribute) ? `#${attribute}` : attribute;
}

/** The names that the texts of a request use in place of reserved words; undefined without any. */
export function reservedNames(texts: readonly string[]): Readonly<Record<string, string>> | undefined {
  const used = [...reservedWords].filter((word) => texts.some((text) => text.includes(`#${word}`)));
  return used.length === 0 ? undefined : Object.fromEntries(used.map((word) => [`#${word}`, word]));
}

function join(separator: string, expressions: readonly Expression[]): Expression {
  return new Expression(
    expressions.map(({ text }) => text).join(separator),
    expressions.flatMap(({ values }) => values),
  );
}

function clause(keyword: string, expressions: readonly Expression[]): Expression {
  const { text, values } = join(", ", expressions);
  return new Expression(text && `${keyword} ${text}`, values);
}

function elements(changes: Readonly<Record<string, unknown>>): Expression[] {
  return Object.entries(changes).map(([name, value]) => new Expression(`${nameInExpression(name)} ?`, [value]));
}
