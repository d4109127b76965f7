import type { NewSend, SendRecord } from "../../domain/sending/sends.ts";
import type { Millis } from "../../kernel/time.ts";
import type { SendPorts } from "../ports.ts";
import { type BudgetRefusal, blockedBy, type PlannedSend } from "./plan.ts";

/** Others may begin the windows of three budgets meanwhile, and then fill them. */
const TRIES = 12;

type BeginPorts = Pick<SendPorts, "budgets" | "sendRecords">;

/**
 * Begins a send and spends its part of the budgets, both or neither: never more than they allow, and a send that they
 * allow is never refused. Throws when others wrote at every try; then nothing is begun.
 * @returns `known`: it was begun before, and that is what is known of it
 */
export async function begin(
  ports: BeginPorts,
  planned: PlannedSend,
  send: NewSend,
  now: Millis,
): Promise<{ kind: "begun" } | { kind: "known"; record: SendRecord } | { kind: "refused"; refusal: BudgetRefusal }> {
  const { tenant, account, head, scope } = planned;
  const spender = { tenant, account, conversationId: head.id, scope };
  const humanAgent = planned.via === "api_human_agent";
  let budgets = planned.budgets;
  for (let tries = 1; tries <= TRIES; tries++) {
    const refusal = blockedBy(budgets, now, humanAgent);
    if (refusal) return { kind: "refused", refusal };
    const spending = ports.budgets.spending(spender, budgets, now, humanAgent);
    const begun = await ports.sendRecords.begin(head.id, send, now, spending.items);
    if (begun.outcome === "begun") return { kind: "begun" };
    if (begun.outcome === "known") return { kind: "known", record: begun.record };
    budgets = spending.learn(begun.found);
  }
  throw new Error("The budgets were written by others at every try.");
}
