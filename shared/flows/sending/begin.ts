import type { NewSend, SendRecord } from "../../domain/sending/sends.ts";
import type { Millis } from "../../kernel/time.ts";
import { type BudgetRefusal, checkBudgets, type PlannedSend } from "./plan.ts";
import type { SendPorts } from "./ports.ts";

/** Others may begin the windows of three budgets meanwhile, and then fill them. */
const ATTEMPTS_MAX = 12;

type StartPorts = Pick<SendPorts, "budgets" | "sendRecords">;

/**
 * Begins a send and spends its part of the budgets, both or neither: never more than they allow, and a send that they
 * allow is never refused. Throws when others wrote at every try; then nothing is begun.
 * @returns `known`: it was begun before, and that is what is known of it
 */
export async function startSend(
  ports: StartPorts,
  plan: PlannedSend,
  send: NewSend,
  now: Millis,
): Promise<{ kind: "begun" } | { kind: "known"; record: SendRecord } | { kind: "refused"; refusal: BudgetRefusal }> {
  const { tenant, account, head, scope } = plan;
  const spender = { tenant, account, conversationId: head.id, scope };
  const humanAgent = plan.via === "api_human_agent";
  let budgets = plan.budgets;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const refusal = checkBudgets(budgets, now, humanAgent);
    if (refusal) return { kind: "refused", refusal };
    const spending = ports.budgets.spending(spender, budgets, now, humanAgent);
    const result = await ports.sendRecords.start(head.id, send, now, spending.items);
    if (result.outcome === "begun") return { kind: "begun" };
    if (result.outcome === "known") return { kind: "known", record: result.record };
    budgets = spending.refreshState(result.current);
  }
  throw new Error("The budgets were written by others at every try.");
}
