import { errorClass } from "#base/kernel/error-class.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { refuse } from "#base/kernel/refusals.ts";
import type { RequestTime } from "#base/kernel/request-time.ts";
import type { Millis } from "#base/kernel/time.ts";
import { currentTrace } from "#base/kernel/trace.ts";
import { accountToken } from "#features/accounts/platform-calls.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import type { Platform, SendOutcome, SendRefused } from "#platforms/graph/platform.ts";
import {
  applySendFailure,
  completeSend,
  endSendRestriction,
  publishSendFailed,
  type SendAttempt,
} from "./flows/settle.ts";
import { type BudgetRefusal, checkBudgets, type PlannedSend, type SendFailedRefusal } from "./plan.ts";
import type { SendPorts } from "./ports.ts";
import { contentAttachments, contentText } from "./rules/send-content.ts";
import {
  contentHash,
  type NewSend,
  type SendFailure,
  type SendRecord,
  sendEndsBy,
  sendFailureReason,
  sendLeavesBy,
} from "./rules/sends.ts";
import type { DueSend } from "./store/send-records.ts";

/** Other sends may open the windows of three budgets between two attempts, and then fill them. */
const START_ATTEMPTS_MAX = 12;

export type SendResult =
  | { readonly kind: "sent"; readonly messageId: string }
  | { readonly kind: "refused"; readonly refusal: BudgetRefusal | SendFailedRefusal };

/** A planned message with the id of its send, a ULID of now. */
export interface IdentifiedSend extends PlannedSend {
  readonly id: string;
}

/** A send that is ready to start. Nothing of it can have left. */
interface PreparedSend {
  readonly plan: IdentifiedSend;
  readonly attempt: SendAttempt;
  readonly due: DueSend;
  readonly token: string;
  readonly platform: Pick<Platform, "send">;
  /** The last instant at which it may leave. */
  readonly leavesBy: Millis;
}

/**
 * Sends a planned message. One transaction spends the budgets and creates the record, and only the process that created
 * the record calls the platform, once. A repetition with the same id returns the first result. If the process dies, or if
 * it is frozen until it is too late to call the platform, the sweep settles the send a minute later. Throws only if the
 * send was not started.
 */
export async function performSend(ports: SendPorts, plan: IdentifiedSend, time: RequestTime): Promise<SendResult> {
  const send = await prepareSend(ports, plan, time);
  const result = await time.waitFor(sendOnce(ports, send, time));
  // The record may stand, so this is no fault.
  return result === "late" ? outcomeUnknown : result;
}

async function prepareSend(ports: SendPorts, plan: IdentifiedSend, time: RequestTime): Promise<PreparedSend> {
  const startedAt = time.now();
  const { tenant, head, scope, content } = plan;
  const due = { conversationId: head.id, sendId: plan.id, startedAt, content, ...currentTrace() };
  const [token, platform, shards] = await allDone([
    scope === "test" ? "" : accountToken(ports.vault, tenant, plan.account),
    ports.platformFor(plan.account, scope),
    ports.feedShards(tenant, startedAt),
    // Written before the record, so that the sweep can settle every send that has one. It is awaited also when another
    // call fails: the sweep would pass the time of an item that is written after the answer, and never find the item.
    ports.dueSends.put(due),
  ]);
  const leavesBy = sendLeavesBy(plan, time.endsAt);
  if (time.now() > leavesBy) throw new Error("The time to start the send has passed.");
  return {
    plan,
    attempt: { tenant, head, send: newSend(plan), content, startedAt, shards },
    due,
    token,
    platform,
    leavesBy,
  };
}

async function sendOnce(ports: SendPorts, send: PreparedSend, time: RequestTime): Promise<SendResult> {
  const { attempt } = send;
  let existingResult: SendResult | null;
  try {
    existingResult = await startSend(ports, send);
  } catch (fault) {
    // The record says whether the send was started. If it cannot be read, it may stand.
    const result = await recordedResult(ports, attempt).catch(() => outcomeUnknown);
    if (result) return result;
    throw fault;
  }
  if (existingResult) return existingResult;
  try {
    return await callPlatform(ports, send, time);
  } catch (fault) {
    ports.log({ event: "send.settle_deferred", error: errorClass(fault) });
    return (await recordedResult(ports, attempt).catch(() => null)) ?? outcomeUnknown;
  }
}

/** The result in a send's record; null when there is no record. */
async function recordedResult(
  ports: Pick<SendPorts, "sendRecords">,
  { head, send }: SendAttempt,
): Promise<SendResult | null> {
  const record = await ports.sendRecords.get(head.id, send.id);
  return record && toSendResult(record);
}

/** Starts the send. @returns null when this process started it, and no other process calls the platform for it */
async function startSend(ports: SendPorts, { plan, attempt, due }: PreparedSend): Promise<SendResult | null> {
  const result = await createRecord(ports, plan, attempt);
  switch (result.kind) {
    case "created":
      return null;
    case "exists":
      // A record of another start has its own due item.
      if (result.record.startedAt !== attempt.startedAt) await removeDueSend(ports, due);
      return toSendResult(result.record);
    case "refused":
      await removeDueSend(ports, due);
      return { kind: "refused", refusal: result.refusal };
  }
}

function newSend({ id, via, actorId, holdId, replyTo, scope, content }: IdentifiedSend): NewSend {
  const hash = contentHash(contentText(content), contentAttachments(content));
  return { id, content: hash, via, actorId, holdId, replyTo, scope };
}

/**
 * Creates the send's record and spends its budgets, both or neither. Never exceeds a budget, and never refuses a send
 * that the budgets allow. Throws when other sends changed the budgets at every attempt; then nothing is written.
 */
async function createRecord(
  ports: Pick<SendPorts, "budgets" | "sendRecords">,
  plan: PlannedSend,
  { send, startedAt: now }: SendAttempt,
): Promise<{ kind: "created" } | { kind: "exists"; record: SendRecord } | { kind: "refused"; refusal: BudgetRefusal }> {
  const { tenant, account, head, scope } = plan;
  const spender = { tenant, account, conversationId: head.id, scope };
  const humanAgent = plan.via === "api_human_agent";
  let budgets = plan.budgets;
  for (let i = 0; i < START_ATTEMPTS_MAX; i++) {
    const refusal = checkBudgets(budgets, now, humanAgent);
    if (refusal) return { kind: "refused", refusal };
    const spending = ports.budgets.spending(spender, budgets, now, humanAgent);
    const result = await ports.sendRecords.start(head.id, send, now, spending.items);
    if (result.outcome === "started") return { kind: "created" };
    if (result.outcome === "existing") return { kind: "exists", record: result.record };
    budgets = spending.refreshState(result.current);
  }
  throw new Error("Other sends changed the budgets at every attempt.");
}

async function callPlatform(
  ports: SendPorts,
  { plan, attempt, due, token, platform, leavesBy }: PreparedSend,
  time: RequestTime,
): Promise<SendResult> {
  const { account, via, replyTo } = plan;
  const { head, send, content } = attempt;
  // The process may have been frozen while it wrote the record. The platform client checks the clock again.
  const outcome: SendOutcome =
    time.now() > leavesBy
      ? { kind: "late" }
      : await platform.send(account, token, {
          recipientId: head.ref.participantId,
          content,
          humanAgent: via === "api_human_agent",
          replyTo,
          metadata: send.id,
          leavesBy,
          endsBy: sendEndsBy(time.endsAt),
        });
  logSend(ports, account, outcome);
  const result = await settleOutcome(ports, attempt, outcome, time.now());
  // The account may send again. Before the due item is removed, so that the sweep repeats it after a crash.
  if (outcome.kind === "accepted" && account.status === "restricted") await endSendRestriction(ports, attempt);
  if (result === "settled_before") return (await recordedResult(ports, attempt)) ?? outcomeUnknown;
  // The sweep settles an unknown outcome, because an echo may still name the message.
  if (outcome.kind !== "unknown") await removeDueSend(ports, due);
  return result;
}

/** Never throws: the sweep removes an item that is left. */
async function removeDueSend(ports: Pick<SendPorts, "dueSends" | "log">, due: DueSend): Promise<void> {
  await ports.dueSends.remove(due).catch((error: unknown) => {
    ports.log({ event: "send.settle_deferred", error: errorClass(error) });
  });
}

/** @returns `settled_before` when the sweep or an echo has settled the send: then the sweep also removes its due item */
async function settleOutcome(
  ports: SendPorts,
  attempt: SendAttempt,
  outcome: SendOutcome,
  now: Millis,
): Promise<SendResult | "settled_before"> {
  const { head, send } = attempt;
  switch (outcome.kind) {
    case "accepted":
      await completeSend(ports, attempt, outcome.messageId);
      return { kind: "sent", messageId: outcome.messageId };
    case "unknown":
      await ports.sendRecords.settleSend(head.id, send.id, { state: "unknown" });
      return outcomeUnknown;
    case "late":
    case "refused": {
      // A process that froze before it wrote the record may have written it after the erasure.
      if (outcome.kind === "late" && (await wasErased(ports, attempt))) {
        await ports.sendRecords.remove(head.id, send.id);
        return sendFailed(notSentInTime.detail);
      }
      const failure = outcome.kind === "late" ? { ...notSentInTime, at: now } : toFailure(outcome, now);
      const settling = await ports.sendRecords.settleSend(head.id, send.id, { state: "failed", failure });
      await applySendFailure(ports, attempt, failure);
      if (settling === "settled_before") return settling;
      // Without a record the conversation was erased, and no event may name it.
      if (settling === "settled") await publishSendFailed(ports, attempt, failure.detail, { repeated: false });
      return sendFailed(failure.detail);
    }
  }
}

/** Whether the conversation was erased since the send's id was made. */
async function wasErased({ erasures }: Pick<SendPorts, "erasures">, { head, send }: SendAttempt): Promise<boolean> {
  const madeAt = ulidTime(send.id);
  const erasedAt = await erasures.erasedAt(head.id, madeAt);
  return erasedAt !== null && erasedAt >= madeAt;
}

/** The failure of a send that did not leave in time. */
const notSentInTime: Omit<SendFailure, "at"> = {
  detail: "not_sent_in_time",
  accountStatus: null,
  coolDownMs: null,
  humanAgentPauseMs: null,
  humanAgentRefused: false,
};

function toFailure(refusal: SendRefused, at: Millis): SendFailure {
  const { detail, accountStatus, coolDownMs, humanAgentPauseMs, humanAgentRefused } = refusal;
  return { detail, at, accountStatus, coolDownMs, humanAgentPauseMs, humanAgentRefused };
}

const outcomeUnknown: SendResult = { kind: "refused", refusal: refuse("outcome_unknown", "outcome_unknown") };

function sendFailed(detail: string): SendResult {
  return { kind: "refused", refusal: refuse(sendFailureReason(detail), detail) };
}

/** The result that a send's record gives to a repetition of the send. */
export function toSendResult({ state, messageId, failure }: SendRecord): SendResult {
  if (state === "sent" && messageId !== null) return { kind: "sent", messageId };
  return state === "failed" && failure ? sendFailed(failure.detail) : outcomeUnknown;
}

function logSend(ports: Pick<SendPorts, "log">, account: Account, outcome: SendOutcome): void {
  ports.log({
    event: "send.completed",
    outcome: outcome.kind === "refused" ? outcome.class : outcome.kind,
    platform: account.platform,
    code: outcome.kind === "refused" ? outcome.code : null,
  });
  if (outcome.kind === "refused") ports.log({ event: "metrics.counted", metrics: { SendsRefused: 1 } });
}
