import { type Account, accountKey } from "../../domain/accounts/accounts.ts";
import { SEND_START_DEADLINE, type SendFailure, type SendRecord } from "../../domain/sending/sends.ts";
import { errorClass } from "../../kernel/error-class.ts";
import { ulidTime } from "../../kernel/ids.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { SendOutcome, SendRefused } from "../../platforms/platform.ts";
import type { DueSend } from "../../stores/sending/due-sends.ts";
import { applySendFailure } from "./apply-send-failure.ts";
import { startSend } from "./begin.ts";
import { completeSend } from "./complete.ts";
import type { BudgetRefusal, PlannedSend } from "./plan.ts";
import type { SendPorts } from "./ports.ts";
import { publishSendFailed } from "./publish-send-failed.ts";
import { newSend, type SendAttempt } from "./send-attempt.ts";

export type SendResult =
  | { readonly kind: "sent"; readonly messageId: string }
  | { readonly kind: "refused"; readonly refusal: BudgetRefusal | Refusal<"send_failed" | "outcome_unknown"> };

/** A send that this process alone may hand to the platform. */
interface PreparedSend {
  readonly kind: "begun";
  readonly attempt: SendAttempt;
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
  plan: PlannedSend,
  sendId: string,
  clock: () => Millis,
): Promise<SendResult> {
  let preparedSend: PreparedSend | SendResult;
  try {
    preparedSend = await prepareSend(ports, plan, sendId, clock);
  } catch (fault) {
    const previousResult = await recordedResult(ports, plan, sendId);
    if (previousResult) return previousResult;
    throw fault;
  }
  if (preparedSend.kind !== "begun") return preparedSend;
  try {
    return await callPlatform(ports, plan, preparedSend, clock);
  } catch (fault) {
    ports.log({ event: "send_left_due", error: errorClass(fault) });
    return (await recordedResult(ports, plan, sendId)) ?? outcomeUnknown;
  }
}

/** What the record says of a send; null when there is none, or it cannot be asked. */
async function recordedResult(
  ports: Pick<SendPorts, "sendRecords">,
  { head }: PlannedSend,
  sendId: string,
): Promise<SendResult | null> {
  const record = await ports.sendRecords.get(head.id, sendId).catch(() => null);
  return record && toSendResult(record);
}

async function prepareSend(
  ports: SendPorts,
  plan: PlannedSend,
  sendId: string,
  clock: () => Millis,
): Promise<PreparedSend | SendResult> {
  const startedAt = clock();
  const { tenant, head, scope, content } = plan;
  const send = newSend(plan, sendId);
  const due = { conversationId: head.id, sendId, startedAt, content };
  const [token, shards] = await Promise.all([
    scope === "test" ? "" : openToken(ports, plan),
    ports.feedShards(tenant, startedAt),
    // Before the send is begun, so that there is no instant at which nobody would settle it.
    ports.dueSends.put(due),
  ]);
  if (clock() > ulidTime(sendId) + SEND_START_DEADLINE) throw new Error("It is too late to begin this send.");
  const result = await startSend(ports, plan, send, startedAt);
  switch (result.kind) {
    case "begun":
      return { kind: "begun", attempt: { tenant, head, send, content, startedAt, shards }, token, due };
    case "known":
      // Another try at it has a due item of its own.
      if (result.record.startedAt !== startedAt) await removeDueSend(ports, due);
      return toSendResult(result.record);
    case "refused":
      await removeDueSend(ports, due);
      return { kind: "refused", refusal: result.refusal };
  }
}

/** Calls the platform, and keeps what it says. */
async function callPlatform(
  ports: SendPorts,
  { account, scope, via, replyTo }: PlannedSend,
  { attempt, token, due }: PreparedSend,
  clock: () => Millis,
): Promise<SendResult> {
  const { head, send, content } = attempt;
  const outcome = await ports.platformFor(account, scope).send(account, token, {
    recipientId: head.ref.participantId,
    content,
    humanAgent: via === "api_human_agent",
    replyTo,
    metadata: send.id,
  });
  logSend(ports, account, outcome);
  const result = await settleOutcome(ports, attempt, outcome, clock);
  // What is unknown is left to be looked at again.
  if (outcome.kind !== "unknown") await removeDueSend(ports, due);
  return result;
}

/** Never fails: everything is done, and the sweep finds that so. */
async function removeDueSend(ports: Pick<SendPorts, "dueSends" | "log">, due: DueSend): Promise<void> {
  await ports.dueSends.remove(due).catch((error: unknown) => {
    ports.log({ event: "send_left_due", error: errorClass(error) });
  });
}

async function settleOutcome(
  ports: SendPorts,
  attempt: SendAttempt,
  outcome: SendOutcome,
  clock: () => Millis,
): Promise<SendResult> {
  const { head, send } = attempt;
  switch (outcome.kind) {
    case "accepted":
      await completeSend(ports, attempt, outcome.messageId);
      return { kind: "sent", messageId: outcome.messageId };
    case "unknown":
      await ports.sendRecords.settle(head.id, send.id, { state: "unknown" });
      return outcomeUnknown;
    case "refused": {
      const failure = toFailure(outcome, clock());
      // Gone where the conversation was erased meanwhile: then there is nobody to tell of it.
      const recordExists = await ports.sendRecords.settle(head.id, send.id, { state: "failed", failure });
      await applySendFailure(ports, attempt, failure);
      if (recordExists) await publishSendFailed(ports, attempt, failure.detail, { repeated: false });
      return sendFailed(failure.detail);
    }
  }
}

function openToken(ports: Pick<SendPorts, "vault">, { tenant, account }: PlannedSend): Promise<string> {
  return ports.vault.open(account.sealedToken, { purpose: "account-token", tenant, owner: accountKey(account) });
}

function toFailure(refusal: SendRefused, at: Millis): SendFailure {
  const { detail, accountStatus, coolDownMs, humanAgentPauseMs, humanAgentRefused } = refusal;
  return { detail, at, accountStatus, coolDownMs, humanAgentPauseMs, humanAgentRefused };
}

const outcomeUnknown: SendResult = { kind: "refused", refusal: refuse("outcome_unknown", "outcome_unknown") };

function sendFailed(detail: string): SendResult {
  return { kind: "refused", refusal: refuse("send_failed", detail) };
}

/** What a send's record answers whoever asks for the same send again. */
export function toSendResult({ state, messageId, failure }: SendRecord): SendResult {
  if (state === "sent" && messageId !== null) return { kind: "sent", messageId };
  return state === "failed" && failure ? sendFailed(failure.detail) : outcomeUnknown;
}

function logSend(ports: Pick<SendPorts, "log">, account: Account, outcome: SendOutcome): void {
  ports.log({
    event: "send",
    outcome: outcome.kind === "refused" ? outcome.class : outcome.kind,
    platform: account.platform,
    code: outcome.kind === "refused" ? outcome.code : null,
  });
}
