import { type Account, accountKey } from "../domain/accounts.ts";
import { type Caller, callerMayUse } from "../domain/api-keys.ts";
import { type ConversationHead, readConversationId, windowAt } from "../domain/conversations.ts";
import { eventUlidOf } from "../domain/events.ts";
import type { Message } from "../domain/messages.ts";
import { newUlid } from "../kernel/ids.ts";
import { type Refusal, refuse } from "../kernel/refusals.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { Millis } from "../kernel/time.ts";
import type { SendOutcome } from "../platforms/platform.ts";
import { announcementOf } from "./announcement.ts";
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

  const sendId = newUlid(now);
  const token = caller.scope === "test" ? "" : await openToken(ports, ref.tenant, account);
  await ports.sendRecords.begin(reply.conversationId, sendId, now);
  const outcome = await platform.sendText(account, token, {
    recipientId: ref.participantId,
    text: reply.text,
    replyTo: reply.replyTo,
    metadata: sendId,
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
        sendId,
        sentMessage(ref.tenant, head, caller, reply, outcome.messageId, now),
        now,
      )
    : tellFailure(ports, reply.conversationId, sendId, outcome);
}

/** The person has it: it is kept, shows in the inbox, and is announced. */
async function keepSent(
  ports: ApiPorts,
  tenant: TenantId,
  head: ConversationHead,
  sendId: string,
  message: Message,
  now: Millis,
): Promise<{ messageId: string }> {
  const kept = await ports.outboundMessages.record(tenant, message, now);
  await Promise.all([
    // What a test key sends reached nobody: it leaves the conversation's head as it was.
    message.scope === "live"
      ? ports.conversations.apply(tenant, kept.message, { accountHandle: head.accountHandle, shards: 1 })
      : null,
    ports.events.send(announcementOf(tenant, kept)),
    ports.sendRecords.settle(message.conversationId, sendId, "sent", message.id),
  ]);
  return { messageId: message.id };
}

async function tellFailure(
  ports: ApiPorts,
  conversationId: string,
  sendId: string,
  outcome: Exclude<SendOutcome, { kind: "accepted" }>,
): Promise<ReplyRefusal> {
  await ports.sendRecords.settle(conversationId, sendId, outcome.kind === "unknown" ? "unknown" : "failed", null);
  return refuse("send_failed", outcome.detail);
}

function sentMessage(
  tenant: TenantId,
  head: ConversationHead,
  caller: Caller,
  reply: Reply,
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
    text: reply.text,
    attachments: [],
    sentAt: now,
    sentVia: "api_in_window",
    actorId: null,
    replyTo: reply.replyTo,
    scope: caller.scope,
    eventUlid: eventUlidOf(tenant, messageId, "message.sent", now),
  };
}

function openToken(ports: Pick<ApiPorts, "vault">, tenant: TenantId, account: Account): Promise<string> {
  return ports.vault.open(account.sealedToken, { purpose: "account-token", tenant, owner: accountKey(account) });
}
