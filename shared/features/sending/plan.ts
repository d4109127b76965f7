import { allDone } from "#base/kernel/parallel.ts";
import { invalidField, isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { iso, type Millis, SECOND } from "#base/kernel/time.ts";
import { type Caller, refuseActor, refuseTenant } from "#features/access/rules/callers.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import {
  type Account,
  type AccountRef,
  type AccountRefusal,
  accountKey,
  checkAccount,
  checkRestore,
  mayBeUnread,
  refuseRestoring,
} from "#features/accounts/rules/accounts.ts";
import { type ConversationHead, type ConversationRef, readConversationId } from "#features/inbox/rules/messages.ts";
import { windowAt } from "#features/inbox/rules/messaging-window.ts";
import type { AttachmentPorts, SendPorts } from "./ports.ts";
import { type RequestedContent, readSendContent, type SendContent } from "./rules/send-content.ts";
import { type BudgetState, judgeSend } from "./rules/sends.ts";

/** A message as a request or a hold has it, with either `text` or `attachments`. */
export interface WrittenMessage extends RequestedContent {
  readonly conversationId: string;
  /** The platform's id of the message to reply to. */
  readonly replyTo: string | null;
  /** The person who typed the message. Null where the request names no actor, absent for a reply. */
  readonly actorId?: string | null;
}

/** A message whose conversation and content were read. */
export interface ReadMessage {
  readonly tenant: TenantId;
  readonly accountRef: AccountRef;
  readonly conversationId: string;
  readonly scope: Scope;
  readonly content: SendContent;
  readonly replyTo: string | null;
  /** Null for the reply of a key, and where the request names no actor. */
  readonly actorId: string | null;
}

type AdmissionRefusal = Refusal<"conversation_not_found" | "invalid_request" | "tenant_suspended">;

/** Reads a message's conversation and content. Reads no table. */
export function readMessage(
  message: WrittenMessage,
  scope: Scope,
): ReadMessage | Refusal<"conversation_not_found" | "invalid_request"> {
  const ref = readConversationId(message.conversationId);
  return ref ? readContent(ref, message, scope) : refuse("conversation_not_found");
}

/** Reads the content of a message whose conversation was read. */
function readContent(
  { tenant, account: accountRef }: Pick<ConversationRef, "tenant" | "account">,
  message: WrittenMessage,
  scope: Scope,
): ReadMessage | Refusal<"invalid_request"> {
  const { conversationId, replyTo, actorId = null } = message;
  const content = readSendContent(message, accountRef.platform, scope);
  if (isRefusal(content)) return content;
  return { tenant, accountRef, conversationId, scope, content, replyTo, actorId };
}

/**
 * Reads a message that a caller may send as far as it alone decides: the conversation is of a tenant of the caller, the
 * content is valid, and its attachments are of the conversation's account. Reads the table for uploaded attachments only.
 */
export function admitMessage(
  ports: AttachmentPorts,
  caller: Caller,
  request: { readonly message: WrittenMessage & { readonly actorId?: never }; readonly now: Millis },
): Promise<ReadMessage | AdmissionRefusal>;
export function admitMessage(
  ports: AttachmentPorts,
  caller: Caller,
  request: { readonly message: WrittenMessage; readonly now: Millis },
): Promise<ReadMessage | AdmissionRefusal | Refusal<"actor_forbidden">>;
export async function admitMessage(
  ports: AttachmentPorts,
  caller: Caller,
  { message, now }: { readonly message: WrittenMessage; readonly now: Millis },
): Promise<ReadMessage | AdmissionRefusal | Refusal<"actor_forbidden">> {
  const ref = readConversationId(message.conversationId);
  if (!ref) return refuse("conversation_not_found");
  const refusal =
    refuseTenant(caller, ref.tenant, "conversation_not_found") ?? refuseActor(caller, message.actorId ?? null);
  if (refusal) return refusal;
  const read = readContent(ref, message, caller.scope);
  if (isRefusal(read)) return read;
  return (await refuseForeignAttachment(ports, read, now)) ?? read;
}

/**
 * Refuses an attachment that the tenant uploaded for another account: the platforms give an upload to its account only.
 * An attachment that the tenant did not upload here is not refused, because the platform knows it or refuses it. Reads
 * nothing for content without an upload.
 */
async function refuseForeignAttachment(
  ports: AttachmentPorts,
  { tenant, accountRef, content }: ReadMessage,
  now: Millis,
): Promise<Refusal<"invalid_request"> | null> {
  if (content.kind === "text") return null;
  const uploads = content.attachments.flatMap((attachment, index) =>
    "attachmentId" in attachment ? [{ id: attachment.attachmentId, index }] : [],
  );
  if (uploads.length === 0) return null;
  const ids = uploads.map(({ id }) => id);
  const owners = await ports.attachmentOwners.getAccountKeys(tenant, ids, now);
  const foreign = uploads.find((_upload, i) => owners[i] !== null && owners[i] !== accountKey(accountRef));
  return foreign
    ? invalidField(`attachments[${foreign.index}].attachment_id`, "was uploaded by another account")
    : null;
}

/** A send of a message that was read. */
export interface SendRequest {
  readonly message: ReadMessage;
  readonly kind: "reply" | "human_agent";
  /** The hold that is being released. If the window has reopened, its message is sent as a reply. */
  readonly holdId?: string | null;
  /** Called with the account as it was read, also if the send is refused. */
  readonly onAccount?: (account: Account) => void;
}

/** A send that the policy allows. */
export interface PlannedSend {
  readonly tenant: TenantId;
  readonly head: ConversationHead;
  readonly account: Account;
  readonly scope: Scope;
  readonly content: SendContent;
  readonly replyTo: string | null;
  readonly via: "api_in_window" | "api_human_agent";
  /** When the window of `via` ends. From then on the message may not be sent this way. */
  readonly windowEndsAt: Millis;
  readonly actorId: string | null;
  readonly holdId: string | null;
  /** The budgets as read for this plan. Another send may have changed them. */
  readonly budgets: BudgetState;
}

export type BudgetRefusal = Refusal<"rate_limited" | "slowed_down">;

/** The end of a started send. With `outcome_unknown` the message may have been sent. */
export type SendFailedRefusal = Refusal<"send_failed" | "not_sent_in_time" | "outcome_unknown">;

/** Why a reply was not sent, or may not have been sent. */
export type ReplyRefusal =
  | BudgetRefusal
  | AccountRefusal
  | SendFailedRefusal
  | ClosedWindowRefusal
  | Refusal<"conversation_not_found" | "account_not_found" | "invalid_request" | "restoring">;

/** Why a reply or a human agent's message was not sent. */
export type PlanRefusal =
  | ReplyRefusal
  | Refusal<"missing_actor" | "human_agent_early" | "human_agent_late" | "human_agent_no_inbound">;

type PlanPorts = Pick<SendPorts, "conversations" | "accounts" | "budgets">;

/** Checks whether a message may be sent now: conversation, account, window and budgets. Writes nothing. */
export function planSend(
  ports: PlanPorts,
  request: SendRequest & { readonly kind: "reply" },
  now: Millis,
): Promise<PlannedSend | ReplyRefusal>;
export function planSend(ports: PlanPorts, request: SendRequest, now: Millis): Promise<PlannedSend | PlanRefusal>;
export async function planSend(
  ports: PlanPorts,
  request: SendRequest,
  now: Millis,
): Promise<PlannedSend | PlanRefusal> {
  const { message, kind, holdId = null } = request;
  const { tenant, accountRef, conversationId, scope, content, replyTo, actorId } = message;
  const [head, account, budgets] = await allDone([
    ports.conversations.get(tenant, conversationId, now),
    ports.accounts.get(tenant, accountRef),
    ports.budgets.get({ tenant, account: accountRef, conversationId, scope }),
  ]);
  if (account) request.onAccount?.(account);
  // Before anything that the restored table says: the conversation may not be fetched yet.
  const restoring = account && scope === "live" ? checkRestore(account) : null;
  if (restoring) return restoring;
  if (account && scope === "live" && mayBeUnread(account, now)) {
    if (await ports.accounts.hasUnreadHistory(tenant, accountRef)) return refuseRestoring();
  }
  if (!head) return refuse("conversation_not_found");
  if (!account) return refuse("account_not_found");
  const path = resolveSendPath({ kind, actorId, holdId }, head.lastInboundAt, now);
  if (isRefusal(path)) return path;
  const refusal = checkAccount(account, now) ?? checkBudgets(budgets, now, path.via === "api_human_agent");
  return refusal ?? { tenant, head, account, scope, content, replyTo, ...path, actorId, holdId, budgets };
}

type ClosedWindowRefusal = Refusal<(typeof closedWindowReasons)[keyof typeof closedWindowReasons]>;

type WindowRefusal =
  | ClosedWindowRefusal
  | Refusal<"missing_actor" | "human_agent_early" | "human_agent_late" | "human_agent_no_inbound">;

/** Why a reply is refused in each state of the window, and what is still possible. */
const closedWindowReasons = {
  human_agent_7d: "window_closed",
  closed: "window_closed_late",
  no_inbound: "window_closed_no_inbound",
} as const;

/** The path of the message, by the time since the person's last message. */
function resolveSendPath(
  { kind, actorId, holdId }: Pick<SendRequest, "kind" | "holdId"> & Pick<ReadMessage, "actorId">,
  lastInboundAt: Millis | null,
  now: Millis,
): Pick<PlannedSend, "via" | "windowEndsAt"> | WindowRefusal {
  const { state, expiresAt } = windowAt(lastInboundAt, now);
  const windowEndsAt = expiresAt ?? now;
  const inWindow = { via: "api_in_window", windowEndsAt } as const;
  if (kind === "reply") return state === "open_24h" ? inWindow : refuse(closedWindowReasons[state]);
  if (!actorId) return refuse("missing_actor");
  switch (state) {
    case "open_24h":
      return holdId ? inWindow : refuse("human_agent_early");
    case "human_agent_7d":
      return { via: "api_human_agent", windowEndsAt };
    case "closed":
      return refuse("human_agent_late");
    case "no_inbound":
      return refuse("human_agent_no_inbound");
  }
}

/** The refusal while a budget is exhausted or the platform asked for a pause; null when a send is allowed. */
export function checkBudgets(budgets: BudgetState, now: Millis, humanAgent: boolean): BudgetRefusal | null {
  const verdict = judgeSend(budgets, now, humanAgent);
  if (verdict.allowed) return null;
  const reason = verdict.by[0] === "slow_down" ? "slowed_down" : "rate_limited";
  const { until } = verdict;
  return refuse(reason, `until ${iso(until)}`, Math.max(1, Math.ceil((until - now) / SECOND)));
}
