import { type Account, accountKey } from "../../domain/accounts/accounts.ts";
import { SEND_BEGUN_WITHIN, type SendFailure, type SendRecord } from "../../domain/sending/sends.ts";
import { errorClass } from "../../kernel/error-class.ts";
import { timeOfUlid } from "../../kernel/ids.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { SendOutcome, SendRefused } from "../../platforms/platform.ts";
import type { DueSend } from "../../stores/sending/due-sends.ts";
import type { SendPorts } from "../ports.ts";
import { takeConsequences } from "./apply-send-failure.ts";
import { begin } from "./begin.ts";
import { keepSent } from "./complete.ts";
import type { BudgetRefusal, PlannedSend } from "./plan.ts";
import { tellFailure } from "./publish-send-failed.ts";
import { type Attempt, newSend } from "./send-attempt.ts";

export type SendResult =
  | { readonly kind: "sent"; readonly messageId: string }
  | { readonly kind: "refused"; readonly refusal: BudgetRefusal | Refusal<"send_failed" | "outcome_unknown"> };

/** A send that this process alone may hand to the platform. */
interface BegunSend {
  readonly kind: "begun";
  readonly attempt: Attempt;
  readonly token: string;
  readonly due: DueSend;
}

/**
 * Sends what was planned. The budgets are spent and the send is begun in one transaction, and whoever begins it calls
 * the platform, once: called again with the same id, this answers what became of the first call. What a process that
 * dies leaves open is settled a minute later by the sweep. After a fault of ours the record tells what came of it:
 * thrown is one before which nothing was begun.
 * @param sendId a ULID of now
 * @param clock the present instant, asked again where time matters
 */
export async function performSend(
  ports: SendPorts,
  planned: PlannedSend,
  sendId: string,
  clock: () => Millis,
): Promise<SendResult> {
  let begun: BegunSend | SendResult;
  try {
    begun = await beginSend(ports, planned, sendId, clock);
  } catch (fault) {
    const known = await recorded(ports, planned, sendId);
    if (known) return known;
    throw fault;
  }
  if (begun.kind !== "begun") return begun;
  try {
    return await handOver(ports, planned, begun, clock);
  } catch (fault) {
    ports.log({ event: "send_left_due", error: errorClass(fault) });
    return (await recorded(ports, planned, sendId)) ?? outcomeUnknown;
  }
}

/** What the record says of a send; null when there is none, or it cannot be asked. */
async function recorded(
  ports: Pick<SendPorts, "sendRecords">,
  { head }: PlannedSend,
  sendId: string,
): Promise<SendResult | null> {
  const record = await ports.sendRecords.get(head.id, sendId).catch(() => null);
  return record && resultOf(record);
}

async function beginSend(
  ports: SendPorts,
  planned: PlannedSend,
  sendId: string,
  clock: () => Millis,
): Promise<BegunSend | SendResult> {
  const begunAt = clock();
  const { tenant, head, scope, content } = planned;
  const send = newSend(planned, sendId);
  const due = { conversationId: head.id, sendId, begunAt, content };
  const [token, shards] = await Promise.all([
    scope === "test" ? "" : openToken(ports, planned),
    ports.shardsOf(tenant, begunAt),
    // Before the send is begun, so that there is no instant at which nobody would settle it.
    ports.dueSends.put(due),
  ]);
  if (clock() > timeOfUlid(sendId) + SEND_BEGUN_WITHIN) throw new Error("It is too late to begin this send.");
  const begun = await begin(ports, planned, send, begunAt);
  switch (begun.kind) {
    case "begun":
      return { kind: "begun", attempt: { tenant, head, send, content, begunAt, shards }, token, due };
    case "known":
      // Another try at it has a due item of its own.
      if (begun.record.begunAt !== begunAt) await endDue(ports, due);
      return resultOf(begun.record);
    case "refused":
      await endDue(ports, due);
      return { kind: "refused", refusal: begun.refusal };
  }
}

/** Calls the platform, and keeps what it says. */
async function handOver(
  ports: SendPorts,
  { account, scope, via, replyTo }: PlannedSend,
  { attempt, token, due }: BegunSend,
  clock: () => Millis,
): Promise<SendResult> {
  const { head, send, content } = attempt;
  const outcome = await ports.platformOf(account, scope).send(account, token, {
    recipientId: head.ref.participantId,
    content,
    humanAgent: via === "api_human_agent",
    replyTo,
    metadata: send.id,
  });
  logSend(ports, account, outcome);
  const result = await keepOutcome(ports, attempt, outcome, clock);
  // What is unknown is left to be looked at again.
  if (outcome.kind !== "unknown") await endDue(ports, due);
  return result;
}

/** Never fails: everything is done, and the sweep finds that so. */
async function endDue(ports: Pick<SendPorts, "dueSends" | "log">, due: DueSend): Promise<void> {
  await ports.dueSends.done(due).catch((error: unknown) => {
    ports.log({ event: "send_left_due", error: errorClass(error) });
  });
}

async function keepOutcome(
  ports: SendPorts,
  attempt: Attempt,
  outcome: SendOutcome,
  clock: () => Millis,
): Promise<SendResult> {
  const { head, send } = attempt;
  switch (outcome.kind) {
    case "accepted":
      await keepSent(ports, attempt, outcome.messageId);
      return { kind: "sent", messageId: outcome.messageId };
    case "unknown":
      await ports.sendRecords.settle(head.id, send.id, { state: "unknown" });
      return outcomeUnknown;
    case "refused": {
      const failure = failureOf(outcome, clock());
      // Gone where the conversation was erased meanwhile: then there is nobody to tell of it.
      const stands = await ports.sendRecords.settle(head.id, send.id, { state: "failed", failure });
      await takeConsequences(ports, attempt, failure);
      if (stands) await tellFailure(ports, attempt, failure.detail, { repeated: false });
      return refusedFor(failure.detail);
    }
  }
}

function openToken(ports: Pick<SendPorts, "vault">, { tenant, account }: PlannedSend): Promise<string> {
  return ports.vault.open(account.sealedToken, { purpose: "account-token", tenant, owner: accountKey(account) });
}

function failureOf(refused: SendRefused, at: Millis): SendFailure {
  const { detail, accountStatus, coolDownMs, humanAgentPauseMs, humanAgentRefused } = refused;
  return { detail, at, accountStatus, coolDownMs, humanAgentPauseMs, humanAgentRefused };
}

const outcomeUnknown: SendResult = { kind: "refused", refusal: refuse("outcome_unknown", "outcome_unknown") };

function refusedFor(detail: string): SendResult {
  return { kind: "refused", refusal: refuse("send_failed", detail) };
}

/** What a send's record answers whoever asks for the same send again. */
export function resultOf({ state, messageId, failure }: SendRecord): SendResult {
  if (state === "sent" && messageId !== null) return { kind: "sent", messageId };
  return state === "failed" && failure ? refusedFor(failure.detail) : outcomeUnknown;
}

function logSend(ports: Pick<SendPorts, "log">, account: Account, outcome: SendOutcome): void {
  ports.log({
    event: "send",
    outcome: outcome.kind === "refused" ? outcome.class : outcome.kind,
    platform: account.platform,
    code: outcome.kind === "refused" ? outcome.code : null,
  });
}
