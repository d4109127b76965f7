import { errorClass } from "#base/kernel/error-class.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { isRefusal, type Reason, type Refusal } from "#base/kernel/refusals.ts";
import type { RequestTime } from "#base/kernel/request-time.ts";
import { currentTraceId, runWithTrace } from "#base/kernel/trace.ts";
import { SYSTEM } from "#features/access/rules/callers.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import { accountForPush, type ReadAccount, requestHoldPush } from "#features/realtime/request-push.ts";
import { performSend, type SendResult } from "#features/sending/perform.ts";
import { planSend, readMessage } from "#features/sending/plan.ts";
import type { RequestedContent, SendContent } from "#features/sending/rules/send-content.ts";
import type { CheckPagePorts } from "../ports.ts";
import { type HoldError, holdAuditEntry, holdError } from "../rules/holds.ts";
import type { HoldOutcome } from "../store/holds.ts";
import type { Hold } from "../store/items.ts";

/** A claimed hold that is sent. */
export interface HoldRelease {
  /** The hold with its content, which the claim removed from the table. */
  readonly hold: Hold;
  /** The send that claimed it. */
  readonly sendId: string;
  /** The address of the person who passed the check. */
  readonly ip: string | null;
}

/**
 * Sends the message of a claimed hold under the current policy and stores the outcome. If the process dies on the way,
 * the hold lapses and is never sent again.
 * @returns the settled hold; null when its conversation was erased
 */
export async function releaseHold(
  ports: CheckPagePorts,
  release: HoldRelease,
  time: RequestTime,
): Promise<Hold | null> {
  const { hold, sendId } = release;
  const { id, tenant } = hold;
  let read: ReadAccount | null = null;
  const push = async () => {
    const now = time.now();
    if (read)
      await requestHoldPush(ports, { tenant, account: await accountForPush(ports, tenant, read, now), id, now });
  };
  const onAccount = (account: Account) => {
    read = { account, readAt: time.now() };
  };
  // The trace continues from the API request that created the hold, not from the browser's.
  const work = runWithTrace(hold.traceId ?? currentTraceId(), () =>
    sendHeldMessage(ports, { ...release, onAccount, push }, time),
  );
  const outcome = await work.catch((fault: unknown) => {
    // `sendHeldMessage` throws only when nothing was sent, so the hold can fail at once instead of lapsing.
    ports.log({ event: "hold.send_failed", error: errorClass(fault) });
    return failedOutcome(holdError("internal_error"));
  });
  const settled = await ports.holds.settleHold(hold.id, sendId, outcome, time.now());
  await push();
  return settled;
}

/** A release, and how its hold is pushed to the sockets of its tenant. */
interface PushedRelease extends HoldRelease {
  readonly onAccount: (account: Account) => void;
  readonly push: () => Promise<void>;
}

/** Throws only if nothing was sent. */
async function sendHeldMessage(
  ports: CheckPagePorts,
  { hold, sendId, ip, onAccount, push }: PushedRelease,
  time: RequestTime,
): Promise<HoldOutcome> {
  await ports.audit.add(hold.tenant, holdAuditEntry("hold.verify", hold, { ...SYSTEM, ip }, time.now()));
  // It was sent before the table was restored.
  if (hold.fetchedMessageId) return { trigger: "accept", platformMessageId: hold.fetchedMessageId };
  const message = readHeldMessage(hold);
  if (isRefusal(message)) return failedOutcome(toHoldError(message));
  const request = { message, kind: "human_agent", holdId: hold.id, onAccount } as const;
  const plan = await planSend(ports, request, time.now());
  if (isRefusal(plan)) return failedOutcome(toHoldError(plan));
  // The completion waits for the hold as a whole.
  const holdTime: RequestTime = { ...time, waitFor: (work) => work };
  const [result] = await allDone([performSend(ports, { ...plan, id: sendId }, holdTime), push()]);
  return toHoldOutcome(result);
}

/** The message of a hold, which was admitted when it was held: its upload is not read again. */
function readHeldMessage({ scope, conversationId, replyTo, actorId, content }: Hold) {
  return readMessage({ conversationId, replyTo, actorId, ...toRequestContent(content) }, scope);
}

function toRequestContent(content: SendContent | null): RequestedContent {
  if (content === null) return {};
  return content.kind === "text" ? { text: content.text } : { attachments: content.attachments };
}

function toHoldOutcome(result: SendResult): HoldOutcome {
  if (result.kind === "sent") return { trigger: "accept", platformMessageId: result.messageId };
  return failedOutcome(toHoldError(result.refusal));
}

function failedOutcome(error: HoldError): HoldOutcome {
  return { trigger: "fail", error };
}

/** The reasons that a hold's `error` may show. */
const publicReasons: ReadonlySet<Reason> = new Set([
  "human_agent_early",
  "human_agent_late",
  "human_agent_no_inbound",
  "window_closed",
  "window_closed_late",
  "window_closed_no_inbound",
  "rate_limited",
  "slowed_down",
  "send_failed",
  "not_sent_in_time",
  "outcome_unknown",
  "account_needs_reauth",
  "account_restricted",
  "account_not_found",
  "restoring",
]);

function toHoldError({ refused, detail }: Refusal): HoldError {
  // The conversation was erased after the hold was created, so it has no inbound message.
  if (refused === "conversation_not_found") return holdError("human_agent_no_inbound");
  // The content was valid when the hold was created, so any other reason is a fault of ours.
  return publicReasons.has(refused) ? holdError(refused, detail ?? null) : holdError("internal_error");
}
