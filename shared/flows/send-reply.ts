import { type Account, accountKey } from "../domain/accounts.ts";
import { type Caller, callerMayUse } from "../domain/api-keys.ts";
import { type ConversationHead, readConversationId, windowAt } from "../domain/conversations.ts";
import { eventUlidOf } from "../domain/events.ts";
import type { Message } from "../domain/messages.ts";
import { contentHash, type NewSend } from "../domain/sends.ts";
import { newUlid } from "../kernel/ids.ts";
import { type Refusal, refuse } from "../kernel/refusals.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { Millis } from "../kernel/time.ts";
import type { SendOutcome } from "../platforms/platform.ts";
import { announcementOf } from "./announcement.ts";
import { erasedSince, takeBack } from "./erase-late.ts";
import type { ApiPorts } from "./ports.ts";

export type ReplyRefusal = Refusal<
  "invalid_request" | "conversation_not_found" | "account_not_found" | "window_closed" | "send_failed"
>;

export interface Reply {
  readonly conversationId: string;
  readonly text: string;
  readonly replyTo: string | null;
}

/**
 * Answers a person inside the 24 hour window. The platform is called at most once: what became of a call that was cut
 * off is unknown, is told as such, and is never tried again.
 */
export async function sendReply(
  ports: ApiPorts,
  caller: Caller,
  reply: Reply,
  now: Millis,
): Promise<{ messageId: string } | ReplyRefusal> {
  const ref = readConversationId(reply.conversationId);
  if (!ref || !callerMayUse(caller, ref.tenant)) return refuse("conversation_not_found");
  const head = await ports.conversations.get(ref.tenant, reply.conversationId, now);
  if (!head) return refuse("conversation_not_found");
  if (windowAt(head.lastInboundAt, now).state !== "open_24h") return refuse("window_closed");
  const account = await ports.accounts.get(ref.tenant, ref.account);
  if (!account) return refuse("account_not_found");
  if (account.status === "needs_reauth" || account.status === "restricted") {
    return refuse("send_failed", account.status);
  }
  const platform = ports.platformOf(account, caller.scope);
  if (platform.textTooLong(reply.text)) return refuse("invalid_request", "text_too_long");

  const send = newSend(caller, reply, now);
  const token = caller.scope === "test" ? "" : await openToken(ports, ref.tenant, account);
  await ports.sendRecords.begin(reply.conversationId, send, now);
  const outcome = await platform.send(account, token, {
    recipientId: ref.participantId,
    content: { kind: "text", text: reply.text },
    humanAgent: false,
    replyTo: reply.replyTo,
    metadata: send.id,
  });
  ports.log({
    event: "send",
    outcome: outcome.kind === "refused" ? outcome.class : outcome.kind,
    platform: account.platform,
    code: outcome.kind === "refused" ? outcome.code : null,
  });
  return outcome.kind === "accepted"
    ? keepSent(
        ports,
        ref.tenant,
        head,
        send,
        sentMessage(ref.tenant, head, send, reply.text, outcome.messageId, now),
        now,
      )
    : tellFailure(ports, reply.conversationId, send, outcome);
}

/** The person has it: it is kept, shows in the inbox, and is announced. */
async function keepSent(
  ports: ApiPorts,
  tenant: TenantId,
  head: ConversationHead,
  send: NewSend,
  message: Message,
  now: Millis,
): Promise<{ messageId: string }> {
  // First of all, so that no later death leaves a send unsettled whose message is already kept.
  const answer = { state: "sent", messageId: message.id } as const;
  const stands = await ports.sendRecords.settle(message.conversationId, send.id, answer);
  // The conversation was erased meanwhile, and nothing from before that is kept.
  if (!stands) return { messageId: message.id };
  const kept = await ports.outboundMessages.record(tenant, message, now);
  const [applied] = await Promise.all([
    // What a test key sends reached nobody: it leaves the conversation's head as it was.
    message.scope === "live"
      ? ports.conversations.apply(tenant, kept.message, { accountHandle: head.accountHandle, shards: 1 })
      : null,
    ports.events.send(announcementOf(tenant, kept)),
  ]);
  const erasedAt = applied && erasedSince(kept, applied);
  if (erasedAt !== null) await takeBack(ports, tenant, kept, erasedAt);
  return { messageId: message.id };
}

async function tellFailure(
  ports: ApiPorts,
  conversationId: string,
  send: NewSend,
  outcome: Exclude<SendOutcome, { kind: "accepted" }>,
): Promise<ReplyRefusal> {
  const state = outcome.kind === "unknown" ? "unknown" : "failed";
  await ports.sendRecords.settle(conversationId, send.id, { state });
  return refuse("send_failed", outcome.detail);
}

function newSend(caller: Caller, reply: Reply, now: Millis): NewSend {
  return {
    id: newUlid(now),
    content: contentHash(reply.text, []),
    via: "api_in_window",
    actorId: null,
    holdId: null,
    replyTo: reply.replyTo,
    scope: caller.scope,
  };
}

function sentMessage(
  tenant: TenantId,
  head: ConversationHead,
  send: NewSend,
  text: string,
  messageId: string,
  now: Millis,
): Message {
  return {
    id: messageId,
    conversationId: head.id,
    account: head.ref.account,
    participant: {
      id: head.ref.participantId,
      handle: head.participantHandle,
      username: head.participantUsername,
    },
    direction: "outbound",
    text,
    attachments: [],
    sentAt: now,
    sentVia: send.via,
    actorId: send.actorId,
    replyTo: send.replyTo,
    holdId: send.holdId,
    scope: send.scope,
    eventUlid: eventUlidOf(tenant, messageId, "message.sent", now),
  };
}

function openToken(ports: Pick<ApiPorts, "vault">, tenant: TenantId, account: Account): Promise<string> {
  return ports.vault.open(account.sealedToken, { purpose: "account-token", tenant, owner: accountKey(account) });
}
