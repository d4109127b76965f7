import { actorOf, type Caller, callerMayUse } from "../../domain/access/api-keys.ts";
import { holdExpiresAt, holdIdOf, holdSecret, holdSecretHash } from "../../domain/holds/holds.ts";
import { readConversationId } from "../../domain/inbox/conversations.ts";
import { type AskedContent, readSendContent } from "../../domain/sending/send-content.ts";
import { isRefusal, type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Hold, NewHold } from "../../stores/holds/hold-items.ts";
import type { ApiPorts, HoldPorts } from "../ports.ts";
import { onceByKey } from "../sending/idempotency.ts";
import { type PlannedSend, type PlanRefusal, planSend } from "../sending/plan.ts";
import { auditOfHold } from "./audit.ts";

export interface HumanAgentMessage extends AskedContent {
  readonly conversationId: string;
  readonly replyTo: string | null;
  /** The person who typed it. */
  readonly actorId: string | null;
  /** The caller's own key of this request, if it gave one. */
  readonly idempotencyKey?: string | null;
}

/** A hold as its maker is told of it: it waits, and says nothing of the message. */
export type MadeHold = Pick<Hold, "id" | "conversationId" | "createdAt" | "expiresAt">;

/** What is kept of it with an idempotency key: nothing that names the person, whose conversation may be erased. */
type KeptHold = Omit<MadeHold, "conversationId">;

type CreatePorts = HoldPorts & Pick<ApiPorts, "conversations" | "accounts" | "budgets" | "idempotencyKeys" | "log">;

/**
 * Holds a human agent's message until a person passes its check. The policy and the budgets are asked as for the send
 * itself, and nothing is spent.
 */
export async function createHold(
  ports: CreatePorts,
  by: { readonly caller: Caller; readonly ip: string | null },
  asked: HumanAgentMessage,
  now: Millis,
): Promise<MadeHold | PlanRefusal | Refusal<"idempotency_conflict">> {
  const { conversationId, text, attachments, replyTo, actorId, idempotencyKey = null } = asked;
  const { caller } = by;
  const ref = readConversationId(conversationId);
  if (!ref || !callerMayUse(caller, ref.tenant)) return refuse("conversation_not_found");
  const { tenant } = ref;
  // What can never be sent uses no key up.
  const content = readSendContent(asked, ref.account.platform, caller.scope);
  if (isRefusal(content)) return content;
  const who = { scope: caller.scope, mayUse: () => true, kind: "human_agent", actorId } as const;
  const made = await onceByKey<KeptHold, PlanRefusal>(
    ports,
    {
      key: idempotencyKey,
      tenant,
      caller,
      asked: ["human-agent", conversationId, text ?? null, attachments ?? null, replyTo, actorId],
    },
    {
      run: async (id) => {
        const planned = await planSend(ports, { ...who, text, attachments, conversationId, replyTo }, now);
        return isRefusal(planned) ? planned : hold(ports, by, planned, holdIdOf(id), now);
      },
      recall: async (id) => {
        const made = await ports.holds.get(holdIdOf(id));
        return made && keptOf(made);
      },
    },
    now,
  );
  return isRefusal(made) ? made : { ...made, conversationId };
}

async function hold(
  ports: CreatePorts,
  { caller, ip }: { readonly caller: Caller; readonly ip: string | null },
  { head, content, scope, replyTo, actorId }: PlannedSend,
  id: string,
  now: Millis,
): Promise<KeptHold | Refusal<"conversation_not_found">> {
  if (head.lastInboundAt === null || actorId === null) throw new Error("A human agent's message without its people.");
  const held: NewHold = {
    id,
    conversationId: head.id,
    scope,
    content,
    replyTo,
    actorId,
    secretHash: holdSecretHash(holdSecret(await ports.holdKey(), id)),
    createdAt: now,
    expiresAt: holdExpiresAt(now, head.lastInboundAt),
  };
  const audit = auditOfHold("hold.create", held, { actor: actorOf(caller), ip }, now);
  return (await ports.holds.create(held, head.lastInboundAt, audit)) ? keptOf(held) : refuse("conversation_not_found");
}

function keptOf({ id, createdAt, expiresAt }: KeptHold): KeptHold {
  return { id, createdAt, expiresAt };
}

/** Where the person who typed a held message checks it. The secret is in the fragment, which no server ever gets. */
export async function verifyUrlOf(ports: Pick<HoldPorts, "holdKey" | "baseUrl">, holdId: string): Promise<string> {
  return `${ports.baseUrl}/verify?hold=${holdId}#t=${holdSecret(await ports.holdKey(), holdId)}`;
}
