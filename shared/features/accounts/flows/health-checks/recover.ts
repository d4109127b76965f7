import type { AccountCheckPorts } from "../../ports.ts";
import { mayRecover } from "../../rules/account-health.ts";
import { isTokenExpired } from "../../rules/refresh-due.ts";
import { applyFinding, applyRefusal, lastingRefusal, type StepResult, type Visit } from "./visit.ts";

/**
 * Asks whether a restriction is over, once its wait is. A read of the conversations answers: it needs the account itself
 * and sends nothing.
 */
export async function checkRestriction(ports: Pick<AccountCheckPorts, "accounts">, visit: Visit): Promise<StepResult> {
  const { checked, platform, token } = visit;
  const { account } = checked;
  if (account.status !== "restricted" || account.retryAt === null) return { visit, next: "continue" };
  const answer = await platform.listThreads(account, token, { after: null, limit: 1 });
  if (answer.kind !== "listed") {
    const refused = lastingRefusal(answer);
    if (!refused) return { visit, next: "later" };
    const refusal = await applyRefusal(ports, visit, refused);
    if (refusal) return refusal;
  }
  return applyFinding(ports, visit, { kind: "restriction_ended" });
}

/** Whether a check asks the platform about an account whose access had ended. */
export function isWorthAsking({ checked: { account, health }, now }: Pick<Visit, "checked" | "now">): boolean {
  return account.status !== "needs_reauth" || (mayRecover(health, now) && !isTokenExpired(account, now));
}
