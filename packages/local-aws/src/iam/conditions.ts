import { type AccessContext, isKnownKey } from "./needs/need.ts";
import { findVariable, matchesPattern } from "./patterns.ts";

/** The `Condition` of a statement: operators, each with keys and their values. */
export type Condition = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The value of a policy that a value of the request matched. */
export interface MatchedValue {
  /** `StringEquals kms:EncryptionContext:purpose` */
  readonly test: string;
  readonly value: string;
}

export type ConditionOutcome =
  | { readonly kind: "met"; readonly matched: readonly MatchedValue[] }
  /** `test` is the first that is not met. */
  | { readonly kind: "unmet"; readonly test: string }
  /** The policy cannot be evaluated here. */
  | { readonly kind: "unknown"; readonly problem: string };

interface Operator {
  readonly matches: (policyValue: string, value: string) => boolean;
  readonly isNegated: boolean;
}

const equals = (policyValue: string, value: string): boolean => policyValue === value;
const equalsInAnyCase = (policyValue: string, value: string): boolean =>
  policyValue.toLowerCase() === value.toLowerCase();
const like = (policyValue: string, value: string): boolean => matchesPattern(policyValue, value);

const operators: Readonly<Record<string, Operator>> = {
  StringEquals: { matches: equals, isNegated: false },
  StringNotEquals: { matches: equals, isNegated: true },
  StringEqualsIgnoreCase: { matches: equalsInAnyCase, isNegated: false },
  StringNotEqualsIgnoreCase: { matches: equalsInAnyCase, isNegated: true },
  StringLike: { matches: like, isNegated: false },
  StringNotLike: { matches: like, isNegated: true },
  ArnEquals: { matches: like, isNegated: false },
  ArnLike: { matches: like, isNegated: false },
  ArnNotEquals: { matches: like, isNegated: true },
  ArnNotLike: { matches: like, isNegated: true },
  Bool: { matches: equalsInAnyCase, isNegated: false },
};

/** `ForAllValues:StringLike` and `StringEqualsIfExists` in their parts. */
const OPERATOR = /^(?:(?<set>ForAllValues|ForAnyValue):)?(?<name>\w+?)(?<ifExists>IfExists)?$/;

/** Evaluates a condition as IAM does: every key of every operator must be met. */
export function evaluateCondition(condition: Condition, context: AccessContext): ConditionOutcome {
  const matchedValues: MatchedValue[] = [];
  for (const [operator, keys] of Object.entries(condition)) {
    for (const [key, policyValues] of Object.entries(keys)) {
      const outcome = evaluateTest({ operator, key, policyValues: [policyValues].flat().map(String) }, context);
      if (outcome.kind !== "met") return outcome;
      matchedValues.push(...outcome.matched);
    }
  }
  return { kind: "met", matched: matchedValues };
}

interface Test {
  readonly operator: string;
  readonly key: string;
  readonly policyValues: readonly string[];
}

function evaluateTest({ operator, key, policyValues }: Test, context: AccessContext): ConditionOutcome {
  const test = `${operator} ${key}`;
  const { set, name = "", ifExists } = OPERATOR.exec(operator)?.groups ?? {};
  if (!isKnownKey(key)) return unknown(`the condition key ${key} is not emulated`);
  const variable = policyValues.map(findVariable).find((each) => each !== null);
  if (variable) return unknown(`the policy variable ${variable} is not emulated`);
  const values = context[key.toLowerCase()] ?? [];
  const met = (isMet: boolean, matched: readonly MatchedValue[] = []): ConditionOutcome =>
    isMet ? { kind: "met", matched } : { kind: "unmet", test };
  if (name === "Null" && set === undefined)
    return met(policyValues.some((value) => (value.toLowerCase() === "true") === (values.length === 0)));
  const knownOperator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (knownOperator === undefined) return unknown(`the condition operator ${operator} is not emulated`);
  const { matches, isNegated } = knownOperator;
  // Without a value, a set is empty: all of nothing match, and none of it does.
  if (values.length === 0) {
    if (set === undefined) return met(isNegated || ifExists !== undefined);
    return met(set === "ForAllValues" || ifExists !== undefined);
  }
  if (set === undefined && values.length > 1) return unknown(`${test} needs ForAllValues or ForAnyValue`);
  const matchesOf = (value: string) => policyValues.filter((policyValue) => matches(policyValue, value));
  const passes = (value: string): boolean => matchesOf(value).length > 0 !== isNegated;
  const isMet = set === "ForAnyValue" ? values.some(passes) : values.every(passes);
  const policyMatches = isNegated ? [] : [...new Set(values.flatMap(matchesOf))];
  return met(
    isMet,
    policyMatches.map((value) => ({ test, value })),
  );
}

function unknown(problem: string): ConditionOutcome {
  return { kind: "unknown", problem };
}
