import { accountKey } from "../../domain/accounts/accounts.ts";
import { eventUlidOf, renderEvent } from "../../domain/events/events.ts";
import { accountEventData } from "../../domain/events/message-changes.ts";
import type { SendFailure } from "../../domain/sending/sends.ts";
import { writeEvent } from "../../queues/messages.ts";
import type { SendPorts } from "../ports.ts";
import type { Attempt } from "./send-attempt.ts";

type ConsequencePorts = Pick<SendPorts, "accounts" | "budgets" | "eventBodies" | "events">;

/** Does what the platform's refusal of a send means for those after it. Safe to repeat. */
export async function takeConsequences(ports: ConsequencePorts, attempt: Attempt, failure: SendFailure): Promise<void> {
  const { tenant, head } = attempt;
  const { account } = head.ref;
  const { coolDownMs, humanAgentPauseMs, humanAgentRefused, at } = failure;
  await Promise.all([
    changeStatus(ports, attempt, failure),
    coolDownMs === null ? null : ports.budgets.coolDown(tenant, account, at + coolDownMs),
    humanAgentPauseMs === null ? null : ports.budgets.pauseHumanAgent(head.id, at + humanAgentPauseMs),
    humanAgentRefused ? ports.accounts.noteHumanAgentRefused(tenant, account, at) : null,
  ]);
}

/** Announced once for each change: a status that the account has already is not told again. */
async function changeStatus(
  ports: ConsequencePorts,
  { tenant, head, send, begunAt }: Attempt,
  { accountStatus: status, detail: error }: SendFailure,
): Promise<void> {
  if (status === null) return;
  const type = `account.${status}` as const;
  const ref = head.ref.account;
  const eventUlid = eventUlidOf(tenant, JSON.stringify([accountKey(ref), send.id]), type, begunAt);
  const account = await ports.accounts.setStatus(tenant, ref, { status, error, asOf: begunAt, eventUlid });
  if (!account) return;
  // A body that was kept stands: the account may have changed since, and the event is the same.
  if (!(await ports.eventBodies.get(tenant, eventUlid))) {
    const data = accountEventData({ ...account, status }, status === "needs_reauth" ? "token_invalid" : "policy");
    await ports.eventBodies.keep(tenant, renderEvent(tenant, eventUlid, type, data));
  }
  await ports.events.send({
    body: writeEvent({ tenant, eventUlid, type, source: null, repeated: true }),
    group: tenant,
  });
}
