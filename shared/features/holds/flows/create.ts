import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { RequestTime } from "#base/kernel/request-time.ts";
import type { Millis } from "#base/kernel/time.ts";
import { currentTrace } from "#base/kernel/trace.ts";
import { authorName, type CallerAuthor } from "#features/access/rules/callers.ts";
import { requestHoldPush } from "#features/realtime/request-push.ts";
import { answerFetched } from "#features/sending/fetched.ts";
import { idempotencyHash, mayBeErased, withIdempotency } from "#features/sending/idempotency.ts";
import { admitMessage, type PlannedSend, type PlanRefusal, planSend } from "#features/sending/plan.ts";
import type { AttachmentPorts, FetchedPorts, IdempotencyPorts, SendPorts } from "#features/sending/ports.ts";
import type { RequestedContent } from "#features/sending/rules/send-content.ts";
import type { HoldPorts } from "../ports.ts";
import { holdAuditEntry, holdExpiresAt, holdIdFromUlid, holdSecret, holdSecretHash } from "../rules/holds.ts";
import type { Hold, NewHold } from "../store/items.ts";

export interface HumanAgentMessage extends RequestedContent {
  readonly conversationId: string;
  readonly replyTo: string | null;
  /** The person who typed the message. */
  readonly actorId: string | null;
  /** The caller's `Idempotency-Key`. */
  readonly idempotencyKey?: string | null;
  /** Called when the result is that of an earlier request with the key. */
  readonly onReplay?: () => void;
}

/** A new hold as the API returns it, without the message. */
export type CreatedHold = Pick<Hold, "id" | "conversationId" | "createdAt" | "expiresAt">;

/** The part stored with an idempotency key. It must not name the person, because an erasure does not reach it. */
type HoldResult = Omit<CreatedHold, "conversationId">;

export type CreatePorts = HoldPorts &
  IdempotencyPorts &
  AttachmentPorts &
  FetchedPorts &
  Pick<SendPorts, "conversations" | "accounts" | "budgets" | "erasures">;

/**
 * Holds a human agent's message until a person passes its check. Applies the same policy and budgets as the send, but
 * spends no budget.
 */
export async function createHold(
  ports: CreatePorts,
  author: CallerAuthor,
  message: HumanAgentMessage,
  time: RequestTime,
): Promise<CreatedHold | PlanRefusal | Refusal<"idempotency_conflict" | "tenant_suspended" | "actor_forbidden">> {
  const { conversationId, text, attachments, replyTo, actorId, idempotencyKey = null, onReplay } = message;
  const { caller } = author;
  const now = time.now();
  // Invalid content is refused before the key is claimed, so that the caller can use the key again.
  const written = { conversationId, text, attachments, replyTo, actorId };
  const read = await admitMessage(ports, caller, { message: written, now });
  if (isRefusal(read)) return read;
  const result = await withIdempotency<HoldResult, PlanRefusal>(
    ports,
    {
      key: idempotencyKey,
      tenant: read.tenant,
      caller,
      time,
      onReplay,
      fingerprint: ["human-agent", conversationId, text ?? null, attachments ?? null, replyTo, actorId],
    },
    {
      run: async (id) => {
        const plan = await planSend(ports, { message: read, kind: "human_agent" }, now);
        if (isRefusal(plan)) return plan;
        const send = idempotencyKey === null ? null : idempotencyHash(caller, idempotencyKey);
        const fetched =
          send === null ? null : await answerFetched(ports, { message: read, account: plan.account, send }, now);
        if (fetched?.kind === "refused") return fetched.refusal;
        const fetchedMessage = fetched ? { fetchedMessageId: fetched.messageId } : {};
        return saveHold(ports, plan, { id: holdIdFromUlid(id), author, now, ...fetchedMessage });
      },
      replayResult: async (id) => {
        const existing = await ports.holds.get(holdIdFromUlid(id));
        if (existing) return toHoldResult(existing);
        // The first hold may have been sent before the conversation was erased.
        const work = { conversationId, id, now: time.now() };
        return (await mayBeErased(ports, work)) ? refuse("outcome_unknown", "outcome_unknown") : null;
      },
    },
  );
  return isRefusal(result) ? result : { ...result, conversationId };
}

async function saveHold(
  ports: CreatePorts,
  { head, account, content, scope, replyTo, actorId }: PlannedSend,
  {
    author,
    now,
    ...own
  }: Pick<NewHold, "id" | "fetchedMessageId"> & { readonly author: CallerAuthor; readonly now: Millis },
): Promise<HoldResult | Refusal<"conversation_not_found">> {
  if (head.lastInboundAt === null || actorId === null)
    throw new Error("The plan of a human agent's message lacks an actor or an inbound message.");
  const { id } = own;
  const newHold: NewHold = {
    ...own,
    conversationId: head.id,
    scope,
    content,
    replyTo,
    actorId,
    actorName: author.caller.kind === "session" ? author.caller.name : null,
    secretHash: holdSecretHash(holdSecret(await ports.holdKeys(), id)),
    createdAt: now,
    expiresAt: holdExpiresAt(now, head.lastInboundAt),
    ...currentTrace(),
  };
  const audit = holdAuditEntry("hold.create", newHold, { actor: authorName(author), ip: author.ip }, now);
  if (!(await ports.holds.create(newHold, head.lastInboundAt, audit))) return refuse("conversation_not_found");
  ports.log({ event: "metrics.counted", metrics: { HoldsCreated: 1 } });
  await requestHoldPush(ports, { tenant: head.ref.tenant, account, id, now });
  return toHoldResult(newHold);
}

function toHoldResult({ id, createdAt, expiresAt }: HoldResult): HoldResult {
  return { id, createdAt, expiresAt };
}

/** The URL of a hold's check page. The secret is in the fragment, which browsers never send to a server. */
export async function checkUrl(ports: Pick<HoldPorts, "holdKeys" | "baseUrl">, holdId: string): Promise<string> {
  return `${ports.baseUrl}/verify?hold=${holdId}#t=${holdSecret(await ports.holdKeys(), holdId)}`;
}
