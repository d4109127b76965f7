import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { RequestTime } from "#base/kernel/request-time.ts";
import { type Caller, callerActor } from "#features/access/rules/callers.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import { answerFetched } from "../fetched.ts";
import { idempotencyHash, mayBeErased, withIdempotency } from "../idempotency.ts";
import { performSend, type SendResult, toSendResult } from "../perform.ts";
import { admitMessage, planSend, type ReplyRefusal } from "../plan.ts";
import type { AttachmentPorts, FetchedPorts, IdempotencyPorts, SendPorts } from "../ports.ts";
import type { RequestedContent } from "../rules/send-content.ts";

type ReplyPorts = SendPorts & IdempotencyPorts & AttachmentPorts & FetchedPorts;

export interface Reply extends RequestedContent {
  readonly conversationId: string;
  readonly replyTo: string | null;
  /** The caller's `Idempotency-Key`. */
  readonly idempotencyKey?: string | null;
  /** Called when the result is that of an earlier request with the key. */
  readonly onReplay?: () => void;
}

export interface ReplyResult {
  readonly messageId: string;
}

/**
 * Sends a reply within the 24-hour window, in the name of a signed-in person if one sends it. Calls the platform at
 * most once: if its response is lost, the result is `outcome_unknown` and the send is not retried. Throws only if
 * nothing was sent.
 */
export async function sendReply(
  ports: ReplyPorts,
  { caller, reply, time }: { readonly caller: Caller; readonly reply: Reply; readonly time: RequestTime },
): Promise<ReplyResult | ReplyRefusal | Refusal<"idempotency_conflict" | "tenant_suspended">> {
  const { conversationId, text, attachments, replyTo, idempotencyKey = null, onReplay } = reply;
  // Invalid content is refused before the key is claimed, so that the caller can use the key again.
  const written = { conversationId, text, attachments, replyTo };
  const admitted = await admitMessage(ports, caller, { message: written, now: time.now() });
  if (isRefusal(admitted)) return admitted;
  const message = { ...admitted, actorId: caller.kind === "session" ? callerActor(caller) : null };
  return withIdempotency<ReplyResult, ReplyRefusal>(
    ports,
    {
      key: idempotencyKey,
      tenant: message.tenant,
      caller,
      time,
      onReplay,
      fingerprint: ["reply", conversationId, text ?? null, attachments ?? null, replyTo],
    },
    {
      run: async (id) => {
        let account: Account | null = null;
        const onAccount = (read: Account) => {
          account = read;
        };
        const plan = await planSend(ports, { message, kind: "reply", onAccount }, time.now());
        const send = idempotencyKey === null ? null : idempotencyHash(caller, idempotencyKey);
        const fetched = send && (await answerFetched(ports, { message, account, send }, time.now()));
        if (fetched) {
          onReplay?.();
          return toReplyResult(fetched);
        }
        return isRefusal(plan) ? plan : toReplyResult(await performSend(ports, { ...plan, id }, time));
      },
      replayResult: async (id) => {
        const record = await ports.sendRecords.get(conversationId, id);
        if (record) return toReplyResult(toSendResult(record));
        const work = { conversationId, id, now: time.now() };
        return (await mayBeErased(ports, work)) ? refuse("outcome_unknown", "outcome_unknown") : null;
      },
    },
  );
}

function toReplyResult(result: SendResult): ReplyResult | ReplyRefusal {
  return result.kind === "sent" ? { messageId: result.messageId } : result.refusal;
}
