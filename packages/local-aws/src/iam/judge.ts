import { evaluateCondition, type MatchedValue } from "./conditions.ts";
import type { AccessNeed } from "./needs/need.ts";
import { findVariable, matchesPattern } from "./patterns.ts";
import type { Statement, StatementResource } from "./statements.ts";

/** A statement that allows a need, and by which of its values. */
export interface Allowance {
  readonly statement: Statement;
  readonly actions: readonly string[];
  readonly resources: readonly StatementResource[];
  readonly matched: readonly MatchedValue[];
}

export type Verdict =
  | { readonly isAllowed: true; readonly allowances: readonly Allowance[] }
  | {
      readonly isAllowed: false;
      /** True if a statement denies it. False if none allows it. */
      readonly isExplicit: boolean;
      /** The condition of a statement that would allow it, or what of it cannot be evaluated here. */
      readonly reason: string | null;
    };

/** Decides as IAM does: a statement that denies wins, and without one that allows the need is denied. */
export function judge(statements: readonly Statement[], need: AccessNeed): Verdict {
  const allowances: Allowance[] = [];
  let reason: string | null = null;
  for (const statement of statements) {
    const actions = statement.actions.filter((pattern) => matchesPattern(pattern, need.action, true));
    if (actions.length === 0) continue;
    const resources = statement.resources.filter(({ arn }) => matchesPattern(arn, need.resource));
    const variable = statement.resources.map(({ arn }) => findVariable(arn)).find((each) => each !== null);
    if (variable) reason ??= `the policy variable ${variable} is not emulated`;
    if (resources.length === 0) continue;
    const outcome = evaluate(statement, need);
    if (statement.effect === "Deny") {
      if (outcome.kind === "unmet") continue;
      return { isAllowed: false, isExplicit: true, reason: outcome.kind === "unknown" ? outcome.problem : null };
    }
    if (outcome.kind === "met") allowances.push({ statement, actions, resources, matched: outcome.matched });
    else reason ??= outcome.kind === "unknown" ? outcome.problem : `${outcome.test} is not met`;
  }
  if (allowances.length > 0) return { isAllowed: true, allowances };
  return { isAllowed: false, isExplicit: false, reason };
}

function evaluate({ condition }: Statement, need: AccessNeed) {
  if (need.unknown !== undefined && Object.keys(condition).length > 0)
    return { kind: "unknown", problem: need.unknown } as const;
  return evaluateCondition(condition, need.context);
}
