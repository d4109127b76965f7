import { type Account, accountKey } from "../../domain/accounts/accounts.ts";
import { contentAttachments, contentText } from "../../domain/sending/send-content.ts";
import {
  contentHash,
  type NewSend,
  SEND_START_DEADLINE,
  type SendFailure,
  type SendRecord,
} from "../../domain/sending/sends.ts";
import { errorClass } from "../../kernel/error-class.ts";
import { ulidTime } from "../../kernel/ids.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import { currentTrace } from "../../kernel/trace.ts";
import type { SendOutcome, SendRefused } from "../../platforms/platform.ts";
import type { DueSend } from "../../stores/sending/due-sends.ts";
import { type BudgetRefusal, checkBudgets, type PlannedSend } from "./plan.ts";
import type { SendPorts } from "./ports.ts";
import { applySendFailure, completeSend, publishSendFailed, type SendAttempt } from "./settle.ts";

/** Other sends may open the windows of three budgets between two tries, and then fill them. */
const START_TRIES_MAX = 12;

export type SendResult =
  | { readonly kind: "sent"; readonly messageId: string }
  | { readonly kind: "refused"; readonly refusal: BudgetRefusal | Refusal<"send_failed" | "outcome_unknown"> };

/** A send that this process started. No other process calls the platform for it. */
interface StartedSend {
  readonly kind: "started";
  readonly attempt: SendAttempt;
  readonly token: string;
  readonly due: DueSend;
}

/**
 * Sends a planned message. One transaction spends the budgets and creates the record, and only the process that created
 * the record calls the platform, once. A repetition with the same id returns the first result. If the process dies, the
 * sweep settles the send a minute later. Throws only if the send was not started.
 * @param sendId a ULID of now
 * @param clock the current time, read again where time matters
 */
export async function performSend(
  ports: SendPorts,
  plan: PlannedSend,
  sendId: string,
  clock: () => Millis,
): Promise<SendResult> {
  let startedSend: StartedSend | SendResult;
  try {
    startedSend = await startSend(ports, plan, sendId, clock);
  } catch (fault) {
    const previousResult = await recordedResult(ports, plan, sendId);
    if (previousResult) return previousResult;
    throw fault;
  }
  if (startedSend.kind !== "started") return startedSend;
  try {
    return await callPlatform(ports, plan, startedSend, clock);
  } catch (fault) {
    ports.log({ event: "send.settle_deferred", error: errorClass(fault) });
    return (await recordedResult(ports, plan, sendId)) ?? outcomeUnknown;
  }
}

/** The result in a send's record; null when there is no record or it cannot be read. */
async function recordedResult(
  ports: Pick<SendPorts, "sendRecords">,
  { head }: PlannedSend,
  sendId: string,
): Promise<SendResult | null> {
  const record = await ports.sendRecords.get(head.id, sendId).catch(() => null);
  return record && toSendResult(record);
}

async function startSend(
  ports: SendPorts,
  plan: PlannedSend,
  sendId: string,
  clock: () => Millis,
): Promise<StartedSend | SendResult> {
  const startedAt = clock();
  const { tenant, head, scope, content } = plan;
  const send = newSend(plan, sendId);
  const due = { conversationId: head.id, sendId, startedAt, content, ...currentTrace() };
  const [token, shards] = await Promise.all([
    scope === "test" ? "" : openToken(ports, plan),
    ports.feedShards(tenant, startedAt),
    // Written before the record, so that the sweep can settle every send that has one.
    ports.dueSends.put(due),
  ]);
  if (clock() > ulidTime(sendId) + SEND_START_DEADLINE) throw new Error("The deadline to start the send has passed.");
  const result = await createRecord(ports, plan, send, startedAt);
  switch (result.kind) {
    case "created":
      return { kind: "started", attempt: { tenant, head, send, content, startedAt, shards }, token, due };
    case "exists":
      // A record of another start has its own due item.
      if (result.record.startedAt !== startedAt) await removeDueSend(ports, due);
      return toSendResult(result.record);
    case "refused":
      await removeDueSend(ports, due);
      return { kind: "refused", refusal: result.refusal };
  }
}

function newSend({ via, actorId, holdId, replyTo, scope, content }: PlannedSend, id: string): NewSend {
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
  send: NewSend,
  now: Millis,
): Promise<{ kind: "created" } | { kind: "exists"; record: SendRecord } | { kind: "refused"; refusal: BudgetRefusal }> {
  const { tenant, account, head, scope } = plan;
  const spender = { tenant, account, conversationId: head.id, scope };
  const humanAgent = plan.via === "api_human_agent";
  let budgets = plan.budgets;
  for (let i = 0; i < START_TRIES_MAX; i++) {
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
  { account, scope, via, replyTo }: PlannedSend,
  { attempt, token, due }: StartedSend,
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
  // The sweep settles an unknown outcome: an echo may still name the message.
  if (outcome.kind !== "unknown") await removeDueSend(ports, due);
  return result;
}

/** Never throws: the sweep removes an item that is left. */
async function removeDueSend(ports: Pick<SendPorts, "dueSends" | "log">, due: DueSend): Promise<void> {
  await ports.dueSends.remove(due).catch((error: unknown) => {
    ports.log({ event: "send.settle_deferred", error: errorClass(error) });
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
      await ports.sendRecords.settleSend(head.id, send.id, { state: "unknown" });
      return outcomeUnknown;
    case "refused": {
      const failure = toFailure(outcome, clock());
      const recordExists = await ports.sendRecords.settleSend(head.id, send.id, { state: "failed", failure });
      await applySendFailure(ports, attempt, failure);
      // Without a record the conversation was erased, and no event may name it.
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
}
