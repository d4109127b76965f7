import type { Condition } from "./conditions.ts";
import type { Allowance } from "./judge.ts";
import type { Statement } from "./statements.ts";

/**
 * The smallest parts that could be taken from the statements that allow: an action on a resource, and for each condition
 * with several values one of them. In words: `kms:Decrypt TokenKey if StringEquals kms:EncryptionContext:purpose account-token`.
 */
export function listGrants(statements: readonly Statement[]): string[] {
  const grants = statements
    .filter(({ effect }) => effect === "Allow")
    .flatMap(({ actions, resources, condition }) =>
      resources.flatMap(({ label }) =>
        actions.flatMap((action) => conditionValues(condition).map((value) => toGrant(action, label, value))),
      ),
    );
  return [...new Set(grants)];
}

/** The grants that a need used: those of every statement that allows it. */
export function usedGrants(allowances: readonly Allowance[]): string[] {
  return allowances.flatMap(({ statement, actions, resources, matched }) => {
    const values = conditionValues(statement.condition).filter(
      (value) => value === "" || matched.some((each) => value === `${each.test} ${each.value}`),
    );
    return resources.flatMap(({ label }) =>
      actions.flatMap((action) => values.map((value) => toGrant(action, label, value))),
    );
  });
}

function toGrant(action: string, label: string, value: string): string {
  return `${action} ${label}${value === "" ? "" : ` if ${value}`}`;
}

/** The tests of a condition with each of their values. One empty text without a condition of lists. */
function conditionValues(condition: Condition): string[] {
  const values = Object.entries(condition).flatMap(([operator, keys]) =>
    Object.entries(keys).flatMap(([key, list]) =>
      Array.isArray(list) && !/Not|Null/.test(operator) ? list.map((value) => `${operator} ${key} ${value}`) : [],
    ),
  );
  return values.length === 0 ? [""] : values;
}
