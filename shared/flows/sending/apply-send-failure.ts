import { accountKey } from "../../domain/accounts/accounts.ts";
import { deriveEventUlid } from "../../domain/events/events.ts";
import type { SendFailure } from "../../domain/sending/sends.ts";
import { renderAccountEvent } from "../../events/account.ts";
import { encodeEvent } from "../../queues/messages.ts";
import type { SendPorts } from "./ports.ts";
import type { SendAttempt } from "./send-attempt.ts";

type FailurePorts = Pick<SendPorts, "accounts" | "budgets" | "eventBodies" | "events">;

/** Does what the platform's refusal of a send means for those after it. Safe to repeat. */
export async function applySendFailure(ports: FailurePorts, attempt: SendAttempt, failure: SendFailure): Promise<void> {
  const { tenant, head } = attempt;
  const { account } = head.ref;
  const { coolDownMs, humanAgentPauseMs, humanAgentRefused, at } = failure;
  await Promise.all([
    changeAccountStatus(ports, attempt, failure),
    coolDownMs === null ? null : ports.budgets.pauseAccount(tenant, account, at + coolDownMs),
    humanAgentPauseMs === null ? null : ports.budgets.pauseHumanAgent(head.id, at + humanAgentPauseMs),
    humanAgentRefused ? ports.accounts.recordHumanAgentRefusal(tenant, account, at) : null,
  ]);
}

/** Announced once for each change: a status that the account has already is not told again. */
async function changeAccountStatus(
  ports: FailurePorts,
  { tenant, head, send, startedAt }: SendAttempt,
  { accountStatus: status, detail: error }: SendFailure,
): Promise<void> {
  if (status === null) return;
  const type = `account.${status}` as const;
  const ref = head.ref.account;
  const eventUlid = deriveEventUlid(tenant, JSON.stringify([accountKey(ref), send.id]), type, startedAt);
  const account = await ports.accounts.setStatus(tenant, ref, { status, error, asOf: startedAt, eventUlid });
  if (!account) return;
  // A body that was kept stands: the account may have changed since, and the event is the same.
  if (!(await ports.eventBodies.get(tenant, eventUlid))) {
    const reason = status === "needs_reauth" ? "token_invalid" : "policy";
    const event = renderAccountEvent(tenant, eventUlid, type, { ...account, status }, reason);
    await ports.eventBodies.save(tenant, event);
  }
  await ports.events.send({
    body: encodeEvent({ tenant, eventUlid, type, source: null, repeated: true }),
    group: tenant,
  });
}
